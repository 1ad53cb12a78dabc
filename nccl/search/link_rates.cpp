// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/search/link_rates.hpp"

#include <algorithm>

namespace ringscope::nccl {
namespace {

/// Rates are told to the thousandth; sums of doubles are not. None is negative.
Rate rounded(Rate rate) { return static_cast<Rate>(std::int64_t(rate * 1000 + 0.5)) / 1000; }

}  // namespace

LinkRates::LinkRates(const HostGraph& graph) : graph_(graph) {
  for (const GraphLink& link : graph.links) left_.push_back(rounded(link.rate));
}

bool LinkRates::take(const LinkPath& path, int start, Rate rate) {
  return move(path, path.links.size(), start, rate);
}

void LinkRates::give_back(const LinkPath& path, int start, Rate rate) {
  move(path, path.links.size(), start, -rate);
}

bool LinkRates::move(const LinkPath& path, std::size_t links, int start, Rate rate) {
  const auto part = [&](int node) { return graph_.nodes[node]; };
  const bool from_gpu = part(start) == NodeKind::gpu;
  const auto link_of = [&](int id) -> const GraphLink& { return graph_.links[id]; };
  const bool longer = path.distance == Distance::root && from_gpu && !graph_.processor.amd &&
                      std::ranges::any_of(path.links, [&](int id) {
                        return part(link_of(id).to) == NodeKind::domain;
                      });
  const bool may_read = graph_.generation < 80 && !from_gpu;
  for (std::size_t i = 0; i < links; ++i) {
    const GraphLink& link = link_of(path.links[i]);
    const Rate there = link.type == LinkType::pcie && longer ? rate * 6 / 5 : rate;
    const bool read = may_read && part(link.to) == NodeKind::gpu;
    const Rate back = read ? there / 8 : 0;
    Rate& forward = left_[path.links[i]];
    Rate& backward = left_[link.back];
    if (forward < there || (read && backward < back)) {
      move(path, i, start, -rate);
      return false;
    }
    forward = rounded(forward - there);
    if (read) backward = rounded(backward - back);
  }
  return true;
}

}  // namespace ringscope::nccl
