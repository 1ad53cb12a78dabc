// SPDX-License-Identifier: LGPL-2.1-or-later
// A cluster as screens of at most 100 columns: what is there, and what lies between two points.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nccl/choice/tuning.hpp"
#include "nccl/search/job_channels.hpp"
#include "topologies/graph/topology.hpp"

namespace ringscope {

// The rings and trees that NCCL would build for ranks on GPUs, and what it expects of them, as
// text.

/// Channels of each kind of host, with their rates and ports; then the rings and trees of all
/// ranks, equal ones once.
std::string print_nccl(const Topology& topology, std::span<const nccl::GpuPlace> ranks);

/// Latency and bandwidth of each function, algorithm and protocol, as NCCL prints them with
/// NCCL_DEBUG_SUBSYS=TUNING; then by size the time that it expects of each, and its choice.
std::string print_nccl_tuning(const nccl::Platform& machine, int ranks, int hosts);

// A cluster.

/// Something that messages go between: the memory of a rank, or its GPU; or a host's first memory.
struct Endpoint {
  std::string label;  ///< "rank 3 on host1/numa0"
  Vertex vertex{};
};

/// Switches by their distance from the hosts, their cables, and how much more comes from below than
/// goes up; nothing of a network of one switch.
std::string print_network(const Topology& topology);

/// Components and links, each counted: the first 40 of them, or all.
std::string print_parts(const Topology& topology, bool all = false);

/// The links of the way from one to the other, leg after leg.
std::string print_route(const Topology& topology, const StagedRoute& journey, const Endpoint& from,
                        const Endpoint& to);

/// Bandwidth and latency of the way between any two, alone on the machine; the first 16 of them.
std::string print_matrices(const Topology& topology, const std::vector<Endpoint>& endpoints);

}  // namespace ringscope
