// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/search/ledger.hpp"

#include <algorithm>
#include <cmath>

namespace ringscope::nccl {
namespace {

/// Rates are told to the thousandth; sums of doubles are not.
Rate rounded(Rate rate) { return std::round(rate * 1000) / 1000; }

}  // namespace

Ledger::Ledger(const HostGraph& graph) : graph_(graph) {
  for (const Line& line : graph.lines) left_.push_back(rounded(line.rate));
}

bool Ledger::take(const Way& way, int start, Rate rate) {
  return move(way, way.lines.size(), start, rate);
}

void Ledger::give_back(const Way& way, int start, Rate rate) {
  move(way, way.lines.size(), start, -rate);
}

bool Ledger::move(const Way& way, std::size_t lines, int start, Rate rate) {
  const auto part = [&](int node) { return graph_.nodes[node]; };
  const bool from_gpu = part(start) == Part::gpu;
  const auto line_of = [&](int id) -> const Line& { return graph_.lines[id]; };
  const bool through_domain =
      std::ranges::any_of(way.lines, [&](int id) { return part(line_of(id).to) == Part::domain; });
  const bool longer =
      way.distance == Distance::root && from_gpu && through_domain && !graph_.processor.amd;
  for (std::size_t i = 0; i < lines; ++i) {
    const Line& line = line_of(way.lines[i]);
    const Rate there = line.wire == Wire::pcie && longer ? rate * 6 / 5 : rate;
    const bool read = part(line.to) == Part::gpu && graph_.generation < 80 && !from_gpu;
    const Rate back = read ? there / 8 : 0;
    Rate& forward = left_[way.lines[i]];
    Rate& backward = left_[line.back];
    if (forward < there || (read && backward < back)) {
      move(way, i, start, -rate);
      return false;
    }
    forward = rounded(forward - there);
    if (read) backward = rounded(backward - back);
  }
  return true;
}

}  // namespace ringscope::nccl
