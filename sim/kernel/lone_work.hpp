// SPDX-License-Identifier: LGPL-2.1-or-later
// Activities that nobody holds back: a core without other work, a message on an idle route, blocks
// of a GPU that could carry more of them. On a quiet machine most are. Part of shared_work.hpp.
//
// Invariant: each resource that a work uses which is alone carries nothing else, or all that its
// users could take together. A work could take what the tightest resource on its way gives to it
// alone. So it has that rate: were it slower, a resource would be full on which it is the fastest
// (max_min_levels.cpp), and a resource that all users fit into is full only where each has its
// most. Its end is known when it begins. When more comes to a resource than fits, the works that
// are alone there are alone no longer: what is left of them joins the solver's flows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "sim/kernel/shared_work.hpp"

namespace ringscope::sim {

template <class Rates>
std::int64_t SharedWork<Rates>::share_of(const Carried& carried, double rate) {
  return static_cast<std::int64_t>(std::ceil(rate * carried.shares));
}

template <class Rates>
void SharedWork<Rates>::set_capacity(int resource, double capacity) {
  Carried& changed = carried_[resource];
  const auto begin_again = [this](Carried& there) {
    while (!there.alone.empty()) {
      const int id = there.alone.back().work;
      want_no_longer(id);
      end_alone(id, moved_alone(works_[id]));
      join(id);
    }
  };
  begin_again(changed);
  if (capacity > changed.most && std::exchange(knows_most_, false))
    for (Carried& carried : carried_) begin_again(carried);
  changed.capacity = capacity;
  rates_.set_capacity(resource, capacity);
  if (is_late()) delays_.add(*now_, 0, leaves);
}

template <class Rates>
void SharedWork<Rates>::want(int id) {
  double& most = works_[id].most;
  most = std::numeric_limits<double>::infinity();
  for (const auto& use : rates_.uses(id))
    most = std::min(most, carried_[use.resource].most / use.weight);
  for (const auto& use : rates_.uses(id)) {
    Carried& carried = carried_[use.resource];
    carried.wanted += share_of(carried, use.weight * most);
  }
}

template <class Rates>
void SharedWork<Rates>::want_no_longer(int id) {
  const double most = std::exchange(works_[id].most, 0);
  if (most == 0) return;
  for (const auto& use : rates_.uses(id)) {
    Carried& carried = carried_[use.resource];
    carried.wanted -= share_of(carried, use.weight * most);
  }
}

// All that its users could take fits.
template <class Rates>
bool SharedWork<Rates>::has_room(int resource) const {
  const Carried& carried = carried_[resource];
  const double share = static_cast<double>(carried.wanted) / whole_share;
  return knows_most_ && share * carried.most <= carried.capacity;
}

// Lets a work flow from now on.
template <class Rates>
void SharedWork<Rates>::begin(int id) {
  if constexpr (!can_wait) return share(id);
  want(id);
  const auto& uses = rates_.uses(id);
  const bool alone = std::ranges::all_of(uses, [this](const auto& use) {
    const Carried& there = carried_[use.resource];
    return (there.flows == 0 && there.alone.empty()) || has_room(use.resource);
  });
  alone ? begin_alone(id) : share(id);
}

// Shows a work to the solver, and those that were alone on what it uses.
template <class Rates>
void SharedWork<Rates>::share(int id) {
  for (const auto& use : rates_.uses(id)) {
    auto& alone = carried_[use.resource].alone;
    if (!alone.empty() && !has_room(use.resource))
      while (!alone.empty()) share_alone(alone.back().work);
  }
  count_flows(id, 1);
  rates_.join(id);
}

template <class Rates>
void SharedWork<Rates>::share_alone(int id) {
  end_alone(id, moved_alone(works_[id]));
  count_flows(id, 1);
  rates_.join(id);
}

template <class Rates>
void SharedWork<Rates>::count_flows(int id, int change) {
  if constexpr (can_wait)
    for (const auto& use : rates_.uses(id)) carried_[use.resource].flows += change;
}

template <class Rates>
void SharedWork<Rates>::begin_alone(int id) {
  Work& begun = works_[id];
  const auto& uses = rates_.uses(id);
  begun.alone = true;
  begun.rate = std::numeric_limits<double>::infinity();
  for (const auto& use : uses)
    begun.rate = std::min(begun.rate, carried_[use.resource].capacity / use.weight);
  begun.places.clear();
  for (const auto& use : uses) {
    Carried& carried = carried_[use.resource];
    begun.places.push_back(static_cast<int>(carried.alone.size()));
    carried.alone.push_back({id, static_cast<int>(begun.places.size()) - 1});
    carried.lone_rate += use.weight * begun.rate;
    carried.lone_before += use.weight * begun.rate * begun.begun;
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
  const double units = rounded(moved);
  for (auto place = ended.places.begin(); const auto& use : rates_.uses(id)) {
    Carried& carried = carried_[use.resource];
    const LoneUse last = carried.alone.back();
    works_[last.work].places[last.use] = *place;
    carried.alone[*place++] = last;
    carried.alone.pop_back();
    const double rate = use.weight * ended.rate;
    carried.lone_rate = carried.alone.empty() ? 0 : carried.lone_rate - rate;
    carried.lone_before = carried.alone.empty() ? 0 : carried.lone_before - rate * ended.begun;
    carried.used += use.weight * units;
  }
}

template <class Rates>
double SharedWork<Rates>::used(int resource) const {
  Carried& carried = carried_[resource];
  double sum = carried.used + (carried.lone_rate * *now_ - carried.lone_before);
  if (carried.flows == 0 && !carried.alone.empty()) return sum;
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
