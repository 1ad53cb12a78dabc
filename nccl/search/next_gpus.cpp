// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/search/next_gpus.hpp"

#include <algorithm>

namespace ringscope::nccl {
namespace {

/// Rate of a GPU's own PCIe link; -1 where it has none.
int pcie_rate_of(const HostGraph& graph, int gpu) {
  for (const int id : graph.leaving[graph.gpus[gpu]]) {
    const GraphLink& link = graph.links[id];
    if (link.type == LinkType::pcie) return static_cast<int>(link.rate);
  }
  return -1;
}

/// Order of GPUs, the better first: first its path from the port, then its PCIe link, then the path
/// from the GPU before, whole rates, last its number after that GPU's.
using Merit = std::tuple<int, int, int, int, int, int>;

Merit merit(const HostGraph& graph, int gpu, int port, int turn) {
  const int to = (gpu + turn) % static_cast<int>(graph.gpus.size());
  const LinkPath& path = graph.to_gpu[gpu][to];
  const int rate = static_cast<int>(path.rate), links = static_cast<int>(path.links.size());
  if (port < 0) return {0, 0, 0, -rate, links, turn};
  const LinkPath& in = graph.from_port[port][to];
  return {-static_cast<int>(in.rate),
          -pcie_rate_of(graph, to),
          static_cast<int>(in.links.size()),
          -rate,
          links,
          turn};
}

/// NVSwitches prefer few peers: the GPUs with the numbers beside are the only ones to be tried.
std::vector<int> neighbours(const WalkStep& step, int count) {
  const int before = (step.gpu + count - 1) % count, after = (step.gpu + 1) % count;
  if (before != after && step.shape == Shape::ring) return {before, after};
  if (before != after && step.shape == Shape::balanced) return {after, before};
  return {after};
}

}  // namespace

const std::vector<Orders::Candidate>& Orders::candidates(int gpu, int port) {
  const auto [known, is_new] = candidates_.try_emplace({gpu, port});
  if (!is_new) return known->second;
  const int count = static_cast<int>(graph_.gpus.size());
  std::vector<std::pair<Merit, Candidate>> found;
  for (int turn = 1; turn < count; ++turn) {
    const int to = (gpu + turn) % count;
    const LinkPath& path = graph_.to_gpu[gpu][to];
    if (!path.links.empty())
      found.push_back({merit(graph_, gpu, port, turn),
                       {to, static_cast<int>(path.rate), static_cast<int>(path.links.size())}});
  }
  std::ranges::sort(found, {}, &std::pair<Merit, Candidate>::first);
  for (const auto& [order, candidate] : found) known->second.push_back(candidate);
  return known->second;
}

std::vector<int> Orders::next_gpus(const WalkStep& step, const Table<std::uint64_t>& used) {
  const auto in_channel = [&](int gpu) { return (used[gpu] >> step.channel & 1) != 0; };
  if (graph_.nvswitch >= 0) {
    const auto& paths = graph_.to_gpu[step.gpu];
    std::vector<int> gpus = neighbours(step, static_cast<int>(paths.size()));
    std::erase_if(gpus, [&](int gpu) {
      return gpu == step.gpu || in_channel(gpu) || paths[gpu].links.empty();
    });
    return gpus;
  }
  std::vector<int> gpus;
  const Candidate* first = nullptr;
  bool equal = true;
  for (const Candidate& one :
       candidates(step.gpu, step.towards == Towards::anywhere ? -1 : step.port)) {
    if (in_channel(one.gpu)) continue;
    if (first == nullptr) first = &one;
    equal = equal && one.rate == first->rate && one.links == first->links;
    gpus.push_back(one.gpu);
  }
  // Those near the port are kept for the end of the ring, which leads there.
  if (step.towards == Towards::port_later && equal) std::ranges::reverse(gpus);
  return gpus;
}

const std::vector<int>& Orders::ports(Distance farthest, int gpu) {
  const auto [known, is_new] = ports_.try_emplace({farthest, gpu});
  std::vector<int>& found = known->second;
  if (!is_new) return found;
  const int gpus = static_cast<int>(graph_.gpus.size());
  const int count = static_cast<int>(graph_.ports.size());
  const int first = gpu < 0 ? 0 : gpu, last = gpu < 0 ? gpus : gpu + 1;
  const auto add = [&](int port) {
    if (std::ranges::count(found, port) == 0) found.push_back(port);
  };
  for (int one = first; one < last; ++one) {
    const int own = port_of(graph_, one, 0);
    if (own < 0) continue;
    add(own);
    for (int channel = 1; channel < count && port_of(graph_, one, channel) != own; ++channel)
      add(port_of(graph_, one, channel));
  }
  for (int distance = 0; distance <= static_cast<int>(farthest); ++distance)
    for (int one = first; one < last; ++one)
      for (int port = 0; port < count; ++port)
        if (graph_.to_port[one][port].distance == static_cast<Distance>(distance)) add(port);
  return found;
}

}  // namespace ringscope::nccl
