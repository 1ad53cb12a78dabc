// SPDX-License-Identifier: LGPL-2.1-or-later
// Works that join others late, within a tolerance. Part of shared_work.hpp.
#pragma once

#include <algorithm>

#include "sim/kernel/shared_work.hpp"

namespace ringscope::sim {

// Counts as moved what a work would have moved since it began, had it not been put off.
template <class Rates>
void SharedWork<Rates>::count_before(int id, double rate) {
  Work& counted = works_[id];
  const Exact moved = moved_before(counted, rate);
  counted.left -= moved;
  for (const auto& use : rates_.uses(id))
    carried_[use.resource].used += use.weight * rounded(moved);
}

// A work that finds all that it uses idle flows at once; what several find idle they share at once,
// lest one of those that are alike gets ahead. Others join works that flow, and may wait.
template <class Rates>
void SharedWork<Rates>::solve_due() {
  const auto was_stopped = [this](int id) { return !works_[id].joins; };
  const auto is_uncontended = [this](int id) { return rates_.is_uncontended(id); };
  const auto join = [this](int id) {
    if (std::exchange(works_[id].joins, false)) share(id);
  };
  joining_.erase(std::remove_if(joining_.begin(), joining_.end(), was_stopped), joining_.end());
  const auto late = std::stable_partition(joining_.begin(), joining_.end(), is_uncontended);
  for (auto id = joining_.begin(); id != late; ++id) {
    if (is_uncontended(*id))
      join(*id);
    else
      delays_.add(*now_, 0, *id);
  }
  for (auto id = late; id != joining_.end(); ++id) {
    const double rate = rates_.likely_rate(*id);
    delays_.add(*now_, rate > 0 ? rounded(works_[*id].left) / rate : 0, *id);
  }
  joining_.clear();
  const bool due = delays_.take_due(*now_, [&](int change) {
    if (change == leaves)
      rates_.follow_leaves();
    else
      join(change);
  });
  take_over(due ? rates_.solve() : rates_.tell());
}

template <class Rates>
void SharedWork<Rates>::leave_rates(int id) {
  count_flows(id, -1);
  if (!is_late()) return rates_.leave(id);
  if constexpr (can_wait)
    if (rates_.leave_for_later(id)) delays_.add(*now_, *now_ - works_[id].begun, leaves);
}

}  // namespace ringscope::sim
