// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/search/job_channels.hpp"

#include <cassert>

namespace ringscope::nccl {
namespace {

using Search = HostShare::Search;

std::vector<HostShare> hosts_of(const Table<GpuPlace>& ranks) {
  std::vector<HostShare> hosts;
  for (int rank = 0; const GpuPlace& place : ranks) {
    auto host = std::ranges::find(hosts, place.host, &HostShare::host);
    if (host == hosts.end()) {
      hosts.push_back({.host = place.host, .ranks = {}, .found = nullptr});
      host = hosts.end() - 1;
    }
    host->ranks.push_back(rank++);
  }
  for (HostShare& host : hosts)
    std::ranges::sort(host.ranks, {}, [&](int rank) { return ranks[rank].gpu; });
  return hosts;
}

/// Searches each host, once for all that are alike.
void search_hosts(const Topology& topology, const Table<GpuPlace>& ranks, const FindOfHost& of_host,
                  std::vector<HostShare>& hosts) {
  std::vector<std::shared_ptr<const Search>> known;
  for (HostShare& host : hosts) {
    const std::vector<int> gpus = each_of(host.ranks, [&](int rank) { return ranks[rank].gpu; });
    HostGraph graph = host_graph(topology, host.host, gpus, hosts.size() > 1);
    const auto same =
        std::ranges::find_if(known, [&](const auto& search) { return search->graph.alike(graph); });
    if (same != known.end()) {
      host.found = *same;
      continue;
    }
    find_paths(graph);
    HostChannels channels = of_host(graph);
    host.found = std::make_shared<const Search>(Search{std::move(graph), std::move(channels)});
    known.push_back(host.found);
  }
}

std::size_t fewest_channels(const std::vector<HostShare>& hosts) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const HostShare& host : hosts)
    fewest = std::min({fewest, host.found->channels.ring.channels.size(),
                       host.found->channels.tree.channels.size()});
  return fewest;
}

/// The ranks of a host in the order of one of its channels.
Table<int> ranks_in(const HostShare& host, const FoundChannel& channel) {
  return each_of(channel.gpus, [&](int gpu) { return host.ranks[gpu]; });
}

/// The channel that host `i` has in a ring. Where rings use two ports, every other host swaps the
/// rings of a pair: what leaves one host by the second port comes in at the next by the second one.
const FoundChannel& piece(const std::vector<HostShare>& hosts, std::size_t i, std::size_t channel,
                          std::size_t channels) {
  const Found& found = hosts[i].found->channels.ring;
  const bool swapped = found.port_pairs && channels % 2 == 0 && i % 2 == 1;
  return found.channels[swapped ? channel ^ 1 : channel];
}

int nic_of(const HostGraph& graph, int port) { return port < 0 ? -1 : graph.nics[port]; }

/// The GPU by which another one reaches a port, by its number in the host; -1: none.
int relay_of(const HostGraph& graph, int gpu, int port) {
  if (port < 0) return -1;
  const LinkPath& path = graph.to_port[gpu][port];
  if (path.distance != Distance::gpu_relay) return -1;
  return graph.numbers[graph.own_gpus[port]];
}

Table<ChannelNics> nics(const std::vector<HostShare>& hosts, std::size_t ranks, std::size_t channel,
                        std::size_t channels) {
  Table<ChannelNics> all(ranks);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const HostGraph& graph = hosts[i].found->graph;
    const FoundChannel& here = piece(hosts, i, channel, channels);
    const auto at = [&](int gpu) -> ChannelNics& { return all[hosts[i].ranks[gpu]]; };
    at(here.gpus.front()).in = nic_of(graph, here.ports[0]);
    at(here.gpus.back()).out = nic_of(graph, here.ports[1]);
    at(here.gpus.back()).relay = relay_of(graph, here.gpus.back(), here.ports[1]);
  }
  return all;
}

Table<int> ring(const std::vector<HostShare>& hosts, std::size_t channel, std::size_t channels) {
  Table<int> order;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const Table<int> ranks = ranks_in(hosts[i], piece(hosts, i, channel, channels));
    order.insert(order.end(), ranks.begin(), ranks.end());
  }
  std::rotate(order.begin(), std::ranges::find(order, 0), order.end());
  return order;
}

/// A chain in every host, and of the hosts the first or the second binary tree.
Table<TreeEnds> tree(const std::vector<HostShare>& hosts, std::size_t channel, int which) {
  Table<Table<int>> chains;
  Table<int> branches;
  for (const HostShare& host : hosts) {
    const Found& found = host.found->channels.tree;
    chains.push_back(ranks_in(host, found.channels[channel]));
    branches.push_back(found.shape == Shape::chain || chains.back().size() == 1 ? 0 : 1);
  }
  return ChainTree(std::move(chains), std::move(branches), which).all();
}

/// NVSwitch's own channels: as many blocks of threads as NCCL gives them by default.
int multicast_channels(const std::vector<HostShare>& hosts) {
  for (const HostShare& host : hosts)
    if (host.found->channels.multicast.channels.empty()) return 0;
  constexpr int hopper = 16, blackwell_one_host = 24, blackwell = 32;
  if (hosts.front().found->graph.generation < 100) return hopper;
  return hosts.size() == 1 ? blackwell_one_host : blackwell;
}

}  // namespace

JobChannels find_channels(const Topology& topology, std::span<const GpuPlace> places,
                          const FindOfHost& of_host) {
  const Table<GpuPlace> ranks(places.begin(), places.end());
  assert(!ranks.empty());
  assert(std::set<GpuPlace>(ranks.begin(), ranks.end()).size() == ranks.size());
  JobChannels channels;
  channels.hosts = hosts_of(ranks);
  search_hosts(topology, ranks, of_host, channels.hosts);
  const std::vector<HostShare>& hosts = channels.hosts;
  const std::size_t found = fewest_channels(hosts);
  for (int which = 0; which < 2; ++which)
    for (std::size_t channel = 0; channel < found; ++channel) {
      channels.rings.push_back(ring(hosts, channel, found));
      channels.trees.push_back(tree(hosts, channel, which));
      if (hosts.size() > 1) channels.nics.push_back(nics(hosts, ranks.size(), channel, found));
    }
  // Few fast channels between H100 do not fill the network: twice as many blocks of threads do.
  constexpr std::size_t few = 16;
  constexpr Rate fast = 45;
  const HostShare::Search& first = *hosts.front().found;
  if (first.graph.generation >= 90 && hosts.size() > 1 && first.channels.ring.inside > fast &&
      channels.rings.size() < few)
    for (std::size_t channel = 0; channel < 2 * found; ++channel) {
      channels.rings.push_back(channels.rings[channel]);
      channels.trees.push_back(channels.trees[channel]);
      channels.nics.push_back(channels.nics[channel]);
    }
  channels.multicast = multicast_channels(hosts);
  return channels;
}

}  // namespace ringscope::nccl
