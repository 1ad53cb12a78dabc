// SPDX-License-Identifier: LGPL-2.1-or-later
// Bandwidths and latencies between the GPUs of a host, by simulation, measured as CUDA's sample
// p2pBandwidthLatencyTest does: one large copy for the bandwidth, two at once for both directions,
// a copy of nothing for the latency.
#pragma once

#include <string>
#include <vector>

#include "base/table.hpp"
#include "topologies/cluster.hpp"

namespace ringscope {

struct PeerMatrix {
  Table<std::string> gpus;
  // [from][to]; infinite where nothing limits it. The diagonal is a copy inside the device, of
  // which reads and writes are both counted.
  std::vector<std::vector<double>> bandwidth;  ///< B/s
  std::vector<std::vector<double>> both_ways;  ///< B/s, of both directions together
  std::vector<std::vector<double>> latency_s;  ///< one way
};

/// Measures the GPUs of host `host`, with the peer access that it grants, or (peers false) without
/// any.
std::vector<PeerMatrix> measure_peers(const Cluster& cluster, int host,
                                      const std::vector<bool>& peers);

}  // namespace ringscope
