// SPDX-License-Identifier: LGPL-2.1-or-later
// One search for channels at given rates: a channel is an order of the host's GPUs, with the ports
// by which data comes in and leaves.
//
// A walk in depth first: it takes the rate that a channel wants off each link on its path, goes on
// while the links have it, and gives it back when it turns round; below a complete channel it looks
// for the next. It counts its steps, and stops when they are used up: so what it finds depends on
// the order in which it tries, which is NCCL's.
//
// Source of the rules: NCCL 2.31, src/graph/search.cc; 2.22.3 has the same but for hosts of several
// ports in one ring (`port_pairs`).
#pragma once

#include <array>

#include "base/table.hpp"
#include "nccl/search/host_graph.hpp"

namespace ringscope::nccl {

/// Shape of a channel. From the port, chain: data goes to and comes from the first GPU; balanced:
/// the first two GPUs share that. Multicast has no order but a first GPU, which adds and passes on
/// its share by NVSwitch.
enum class Shape { ring, balanced, chain, multicast };

struct FoundChannel {
  Table<int> gpus;                      ///< in order; indices into HostGraph::gpus
  std::array<int, 2> ports = {-1, -1};  ///< in, out; indices into HostGraph::ports
  bool operator==(const FoundChannel&) const = default;
};

/// Limits that a search is to keep to, and what it has found.
struct Found {
  Shape shape = Shape::ring;
  int least = 1, most = 16;                ///< channels
  Rate inside = 0, outside = 0;            ///< of each channel: between GPUs, and to the ports
  Distance farthest_gpu = Distance::same;  ///< from one GPU to the next
  Distance farthest_port = Distance::one_switch;
  bool same = true;  ///< all channels in the order of the first
  /// Data may leave by another port than it came in; then channels go in pairs, and the second
  /// comes in where the first left.
  bool port_pairs = false;
  int links = 0;       ///< of all channels
  double latency = 0;  ///< us: of the ports' NIC, as its plug-in states it; no description has it
  Table<FoundChannel> channels;
};

enum class SearchEnd { complete, tried_all, out_of_steps };

struct Searched {
  SearchEnd outcome = SearchEnd::tried_all;
  int left = 0;  ///< steps
};

class Orders;  // next_gpus.hpp

/// Replaces `best` where a search at the rates of `wanted` finds more.
Searched search(const HostGraph& graph, Orders& orders, const Found& wanted, Found& best);

}  // namespace ringscope::nccl
