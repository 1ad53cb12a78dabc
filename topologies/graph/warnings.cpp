// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/graph/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ringscope {
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most_listed = 3;
  const std::size_t shown = std::min(most_listed, names.size());
  const std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (names.size() == shown) return text;
  return text + fmt::format(" and {} more", names.size() - shown);
}

std::vector<std::string> together(std::initializer_list<std::vector<std::string>> kinds) {
  std::vector<std::string> all;
  for (const auto& kind : kinds) all.insert(all.end(), kind.begin(), kind.end());
  return all;
}

namespace {

/// True if two of the host's GPUs have peer access that is not NVLink's.
bool has_pcie_peers(const Topology& topology, const Host& host) {
  for (const Vertex from : host.gpus)
    for (const Vertex to : host.gpus)
      if (from != to && topology.peer_access(from, to) && !topology.nvlinked(from, to)) return true;
  return false;
}

/// NICs whose slot carries less than their cable: by more than the slot's payload is less than its
/// signalling rate.
std::vector<std::string> narrow_slots(const Topology& topology) {
  constexpr double enough = 0.9;
  std::vector<std::string> narrow;
  std::string example;
  for (const Host& host : topology.hosts()) {
    for (const Vertex nic : host.nics) {
      const Bandwidth slot = widest_link(topology, nic, true);
      const Bandwidth cable = widest_link(topology, nic, false);
      if (cable == Bandwidth::unlimited() ||
          slot.bytes_per_second >= enough * cable.bytes_per_second)
        continue;
      if (narrow.empty())
        example = fmt::format("{}, and the link {}", to_short_text(slot), to_short_text(cable));
      narrow.push_back(topology.graph()[nic].name);
    }
  }
  if (narrow.empty()) return {};
  return {fmt::format("a slot slower than its network link limits {}: the slot of {} carries {}",
                      listed(narrow), narrow.front(), example)};
}

}  // namespace

Bandwidth widest_link(const Topology& topology, Vertex nic, bool inside) {
  const Graph& graph = topology.graph();
  Bandwidth found{0};
  for (const Edge& edge : graph.edges(nic))
    if ((graph[edge.to].host == graph[nic].host) == inside)
      found = std::max(found, graph.link(edge.link).bandwidth);
  return found;
}

std::vector<std::string> hanging_peers(const Topology& topology) {
  std::vector<std::string> hanging;
  for (const Host& host : topology.hosts())
    if (host.iommu && has_pcie_peers(topology, host)) hanging.push_back(host.name);
  if (hanging.empty()) return {};
  // As in github.com/NVIDIA/nccl/issues/257, on four GTX 1080 Ti; NVIDIA's CUDA C++ Programming
  // Guide, "IOMMU on Linux", supports no peer copies on bare metal with an IOMMU at all.
  return {fmt::format(
      "peer access with an IOMMU is known to hang: switch the IOMMU off (kernel options "
      "intel_iommu=off, amd_iommu=off or iommu=soft), or set 'peer_access: none', on {}",
      listed(hanging))};
}

std::vector<std::string> warnings(const Topology& topology) {
  return together({hanging_peers(topology), narrow_slots(topology)});
}

}  // namespace ringscope
