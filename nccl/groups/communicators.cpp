// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/groups/communicators.hpp"

#include <algorithm>
#include <cmath>

namespace ringscope::nccl {
namespace {

/// Channels of sends from a rank to another. Source: NCCL 2.30.7, src/graph/paths.cc,
/// ncclTopoGetNchannels: two for each NVLink between the two, one for each 14 GB/s of a NIC.
int peer_channels(const HostGraph& host) {
  constexpr int of_pcie = 2;
  constexpr double of_network = 14;  // GB/s
  int least = std::numeric_limits<int>::max();
  for (std::size_t from = 0; from < host.gpus.size(); ++from) {
    for (std::size_t to = 0; to < host.gpus.size(); ++to) {
      if (from == to) continue;
      const LinkPath& path = host.to_gpu[from][to];
      const bool nvlink = path.distance <= Distance::nvlink_relay;
      const int links = static_cast<int>(path.rate / one_nvlink(host.generation));
      least = std::min(least, nvlink ? 2 * std::max(1, links) : of_pcie);
    }
    double fastest = 0;
    for (const LinkPath& path : host.to_port[from]) fastest = std::max(fastest, path.rate);
    if (host.several_hosts && fastest > 0)
      least = std::min(least, std::max(1, static_cast<int>(std::ceil(fastest / of_network))));
  }
  return least == std::numeric_limits<int>::max() ? of_pcie : least;
}

void give_heads(Platform& machine, const JobChannels& found) {
  machine.nvls_channels = found.multicast;
  const Found& heads = found.hosts.front().found->channels.multicast;
  machine.heads = {static_cast<int>(heads.channels.size()), heads.inside};
  machine.heads_between = heads.outside;
  for (const HostShare& host : found.hosts) {
    const Found& one = host.found->channels.multicast;
    machine.heads.count = std::min(machine.heads.count, static_cast<int>(one.channels.size()));
    machine.heads.each = std::min(machine.heads.each, one.inside);
    machine.heads_between = std::min(machine.heads_between, one.outside);
  }
}

/// The rings or the trees: of all hosts the fewest and slowest.
///
/// Source: NCCL 2.31.2, src/init.cc, initTransportsRank; src/tuning, ring.cc, tree.cc; before,
/// src/graph/tuning.cc, ncclTopoTuneModel. Two hosts count by the rate inside; from 2.31 on rings
/// between Blackwell and their trees anywhere do not.
Graph graph_of(const JobChannels& found, const Platform& machine, Found HostChannels::*which) {
  Found all = found.hosts.front().found->channels.*which;
  auto count = all.channels.size();
  for (const HostShare& host : found.hosts) {
    const HostChannels& here = host.found->channels;
    const Found& one = here.*which;
    count = std::min({count, here.ring.channels.size(), here.tree.channels.size()});
    all.inside = std::min(all.inside, one.inside);
    all.outside = std::min(all.outside, one.outside);
    all.farthest_gpu = std::max(all.farthest_gpu, one.farthest_gpu);
    all.farthest_port = std::max(all.farthest_port, one.farthest_port);
    all.same = all.same && one.same;
    if (one.shape == Shape::chain) all.shape = Shape::chain;
  }
  const bool young = machine.version >= 231 && machine.generation == Generation::blackwell;
  if (young && all.shape != Shape::ring) all.inside = std::min(all.inside, all.outside);
  const int channels = static_cast<int>(count);
  const bool relays = machine.generation >= Generation::hopper;
  return {.inside = {channels, all.inside},
          .pair = {channels, young ? all.outside : all.inside},
          .between = {channels, all.outside},
          .nvlink = all.farthest_gpu <= Distance::nvlink_relay,
          .direct = all.farthest_gpu <= Distance::nvlink,
          .ll128 = all.farthest_gpu <= Distance::nvlink_relay &&
                   (found.hosts.size() == 1 ||
                    all.farthest_port <= (relays ? Distance::gpu_relay : Distance::switches)),
          .same = all.same,
          .chains = all.shape == Shape::chain};
}

int power_of_two_from(int n) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))); }

}  // namespace

Platform machine_of(const JobChannels& found, Platform machine, bool switches) {
  machine.rings = graph_of(found, machine, &HostChannels::ring);
  machine.trees = graph_of(found, machine, &HostChannels::tree);
  const HostGraph& first = found.hosts.front().found->graph;
  machine.amd = first.processor.amd;
  machine.nic_latency += found.hosts.front().found->channels.ring.latency;
  machine.most = static_cast<int>(found.rings.size());
  if (switches && found.multicast > 0) give_heads(machine, found);
  machine.peer_channels = peer_channels(first);
  return machine;
}

// Sends and receives take channels by a power of two.
int most_threads(const Platform& machine) {
  return power_of_two_from(
      std::max({machine.most, machine.nvls_channels, 2 * machine.rings.inside.count}));
}

int channels_of_message(const Platform& machine) {
  return std::min(most_threads(machine), power_of_two_from(std::max(1, machine.peer_channels)));
}

std::vector<int> first_equal_channels(const JobChannels& found) {
  std::vector<int> like;
  for (std::size_t channel = 0; channel < found.rings.size(); ++channel) {
    std::size_t first = 0;
    while (found.rings[first] != found.rings[channel] ||
           (!found.nics.empty() && found.nics[first] != found.nics[channel]))
      ++first;
    like.push_back(static_cast<int>(first));
  }
  return like;
}

}  // namespace ringscope::nccl
