// SPDX-License-Identifier: LGPL-2.1-or-later
// The rings and trees that NCCL builds for a job: the channels of each host, joined over hosts.
#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/steps/binary_trees.hpp"
#include "base/table.hpp"
#include "nccl/search/channels_of_host.hpp"

namespace ringscope::nccl {

struct GpuPlace {
  int host = 0, gpu = 0;  ///< its number in the host
  auto operator<=>(const GpuPlace&) const = default;
};

/// Host-local indices of the NICs by which data enter and leave, and of the GPU that relays what
/// leaves; -1: none. A rank inside its host's part of a ring has none.
struct ChannelNics {
  int in = -1, out = -1, relay = -1;
  bool operator==(const ChannelNics&) const = default;
};

/// One host's share; hosts that are alike have the same `found`.
struct HostShare {
  int host = 0;
  Table<int> ranks;  ///< of each GPU of the graph
  struct Search {
    HostGraph graph;
    HostChannels channels;
  };
  std::shared_ptr<const Search> found;
};

/// Rings and trees by channel, which run beside each other, each with its share of the bytes.
struct JobChannels {
  Table<Table<int>> rings;         ///< ranks in order, rank 0 first
  Table<Table<ChannelNics>> nics;  ///< of each ring, by rank; none on one host
  Table<Table<TreeEnds>> trees;    ///< of each, by rank
  int multicast = 0;               ///< channels by NVSwitch; 0: not to be had
  std::vector<HostShare> hosts;    ///< in the order of their first ranks
  bool logged = false;             ///< NCCL wrote them down; no search found them
};

using FindOfHost = std::function<HostChannels(const HostGraph&)>;

/// Channels of ranks on GPUs, in their order. Requires that no two share one.
///
/// Source: NCCL 2.31, src/graph/connect.cc: a ring goes through the hosts one after the other and
/// each channel is doubled; between hosts the channels' first half are the one and the second half
/// the other of two binary trees (algorithms/steps/binary_trees.hpp).
///
/// `of_host` is asked once for all hosts that are alike.
JobChannels find_channels(const Topology& topology, std::span<const GpuPlace> ranks,
                          const FindOfHost& of_host = channels_of_host);

}  // namespace ringscope::nccl
