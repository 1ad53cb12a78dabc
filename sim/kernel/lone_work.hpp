// SPDX-License-Identifier: LGPL-2.1-or-later
// Activities with exclusive use of their resources: a core without other work, a message on an idle
// route. On a quiet machine most are. Part of shared_work.hpp.
//
// Invariant: what a work that is alone uses carries nothing else, so its rate is the least that one
// of them gives, and its end is known when it begins. When another work comes to any of them, it
// is alone no longer: what is left of it then joins the solver's flows, where it is bound to get
// the rate that it had, or a smaller one.
#pragma once

#include <algorithm>
#include <limits>

#include "sim/kernel/shared_work.hpp"

namespace ringscope::sim {

// Lets a work flow from now on.
template <class Rates>
void SharedWork<Rates>::begin(int id) {
  if (can_wait && is_uncontended(id))
    begin_alone(id);
  else
    share(id);
}

// Shows a work to the solver, and those that were alone on what it uses.
template <class Rates>
void SharedWork<Rates>::share(int id) {
  if (Work& known = works_[id]; known.alone) end_alone(id, moved_alone(known));
  if constexpr (can_wait)
    for (const auto& use : rates_.uses(id))
      if (const int other = carried_[use.resource].alone; other >= 0) share(other);
  count_flows(id, 1);
  rates_.join(id);
}

template <class Rates>
void SharedWork<Rates>::count_flows(int id, int change) {
  if constexpr (can_wait)
    for (const auto& use : rates_.uses(id)) carried_[use.resource].flows += change;
}

template <class Rates>
bool SharedWork<Rates>::is_uncontended(int id) const {
  const auto& uses = rates_.uses(id);
  return std::all_of(uses.begin(), uses.end(), [this](const auto& use) {
    const Carried& there = carried_[use.resource];
    return there.flows == 0 && there.alone < 0;
  });
}

template <class Rates>
void SharedWork<Rates>::begin_alone(int id) {
  Work& begun = works_[id];
  begun.alone = true;
  begun.rate = std::numeric_limits<double>::infinity();
  for (const auto& use : rates_.uses(id)) {
    Carried& carried = carried_[use.resource];
    carried.alone = id;
    begun.rate = std::min(begun.rate, carried.capacity / use.weight);
  }
  begun.stamp = ++stamps_;
  begun.date = dates_.add(date_of(begun.begun, begun.left, begun.rate), {~id, begun.stamp});
}

// Makes it a shared one, which has moved `moved` units.
template <class Rates>
void SharedWork<Rates>::end_alone(int id, Exact moved) {
  Work& ended = works_[id];
  ended.alone = false;
  ended.stamp = 0;
  ended.left = std::max(Exact{0}, ended.left - moved);
  if (ended.date >= 0) dates_.forget(std::exchange(ended.date, -1));
  for (const auto& use : rates_.uses(id)) {
    Carried& carried = carried_[use.resource];
    carried.alone = -1;
    carried.used += use.weight * rounded(moved);
  }
}

template <class Rates>
double SharedWork<Rates>::used(int resource) const {
  Carried& carried = carried_[resource];
  double sum = carried.used;
  if (carried.alone >= 0) {
    const double moved = rounded(moved_alone(works_[carried.alone]));
    for (const auto& use : rates_.uses(carried.alone))
      if (use.resource == resource) sum += use.weight * moved;
    return sum;
  }
  std::uint64_t saturation = 0;
  if constexpr (can_wait) saturation = rates_.saturation(resource);
  if (saturation != 0 && saturation == carried.saturation)
    return carried.full_used + carried.capacity * (*now_ - carried.full_since);
  rates_.visit_groups(resource, [&](int id, std::int64_t weight) {
    sum += static_cast<double>(weight) * groups_[id].time.rounded_at(*now_);
  });
  carried.saturation = saturation;
  carried.full_since = *now_;
  carried.full_used = sum;
  return sum;
}

}  // namespace ringscope::sim
