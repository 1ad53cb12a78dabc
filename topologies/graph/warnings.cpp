// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/graph/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ringscope {
namespace {

/// "host0, host1, host2 and 5 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most_listed = 3;
  const std::size_t shown = std::min(most_listed, names.size());
  const std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (names.size() == shown) return text;
  return text + fmt::format(" and {} more", names.size() - shown);
}

/// True if two of the host's GPUs have peer access that is not NVLink's.
bool has_pcie_peers(const Topology& topology, const Host& host) {
  for (const Vertex from : host.gpus)
    for (const Vertex to : host.gpus)
      if (from != to && topology.peer_access(from, to) && !topology.nvlinked(from, to)) return true;
  return false;
}

}  // namespace

std::vector<std::string> warnings(const Topology& topology) {
  std::vector<std::string> hanging;
  for (const Host& host : topology.hosts())
    if (host.iommu && has_pcie_peers(topology, host)) hanging.push_back(host.name);
  if (hanging.empty()) return {};
  // As in github.com/NVIDIA/nccl/issues/257, on four GTX 1080 Ti; NVIDIA's CUDA C++ Programming
  // Guide, "IOMMU on Linux", supports no peer copies on bare metal with an IOMMU at all.
  return {
      fmt::format("peer access with an IOMMU is known to hang: switch it off, or set "
                  "'peer_access: none', on {}",
                  listed(hanging))};
}

}  // namespace ringscope
