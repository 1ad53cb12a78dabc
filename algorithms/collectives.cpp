// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/collectives.hpp"

#include <stdexcept>

namespace ringscope {

std::span<const Collective> collectives() {
  static constexpr Collective all[] = {
#define COLLECTIVE(name, before, after, sums, passes, nccl, summary) \
  {#name, Held::before, Held::after, sums, passes, nccl, summary},
#include "algorithms/collectives.def"
#undef COLLECTIVE
  };
  return all;
}

const Collective* find_collective(std::string_view name) {
  const auto all = collectives();
  const auto found = std::ranges::find(all, name, &Collective::name);
  return found == all.end() ? nullptr : &*found;
}

const Collective& collective_of(const Algorithm& algorithm) {
  if (const Collective* found = find_collective(algorithm.collective)) return *found;
  throw std::logic_error("collectives.def has no row '" + std::string(algorithm.collective) + "'");
}

double bus_factor(const Collective& one, int ranks) {
  return one.passes == 0 ? 1 : one.passes * (ranks - 1.0) / ranks;
}

bool turns(const Algorithm& algorithm) {
  return algorithm.ring && !has_root(collective_of(algorithm));
}

}  // namespace ringscope
