// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists that schedulers print of their nodes: which of them are free, and how much of each.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/graph/topology.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Limit of a node that a list limits no further.
inline constexpr int all_slots = std::numeric_limits<int>::max();

/// A node as its scheduler names it, and what the jobs that it has leave there.
struct ListedNode {
  std::string name;
  Place place{};
  int cores = all_slots, gpus = all_slots;
};
using ListedNodes = std::vector<ListedNode>;
using SourcePointer = std::shared_ptr<const Source>;

// Each throws InputError. A node with a job counts as taken where a list has no numbers.
using ReadNodes = ListedNodes(const SourcePointer& source);
ReadNodes read_scontrol_nodes, read_sinfo_table, read_squeue_table, read_squeue_json,
    read_kubernetes_nodes;

enum class NodeState { free, shared, taken };

/// State by "IDLE", "idle~" or "MIXED+DRAIN". A node that is drained, reserved, down or about to be
/// used is taken. Source: Slurm, sinfo(1), "NODE STATE CODES".
NodeState node_state(std::string_view text);

/// True of a job that has its nodes, by its state such as "RUNNING".
/// Source: Slurm, squeue(1), "JOB STATE CODES".
bool holds_nodes(std::string_view job_state);

/// A host of a cluster, and its slots that a job may take.
struct FreeSlots {
  int host = 0;
  int cores = 0, gpus = 0;

  /// For ranks on cores, or on GPUs, which take a core, too.
  int slots(bool on_gpus) const { return on_gpus ? std::min(cores, gpus) : cores; }
};

/// Hosts that others use, in part or as a whole: a list of names, `[host3, host4]`, or the path of
/// a hostfile or of what a scheduler printed. Nodes of a scheduler that the cluster lacks are left
/// out. Throws InputError, also where it lacks all of them.
std::vector<FreeSlots> read_free_slots(const Value& taken, const Topology& topology);

}  // namespace ringscope
