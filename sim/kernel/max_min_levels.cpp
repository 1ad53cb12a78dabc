// SPDX-License-Identifier: LGPL-2.1-or-later
// Settling: levels after a change, from the lowest upwards.
//
// Invariant of each resource that is not in the queue, and so of all when solve() returns:
//
// bundles: each part of a flow that flows is a user of the bundle of its flow's bottleneck there,
//   whose weight is the sum of its users'; one of the parts is on the bottleneck itself.
// full: a resource that holds flows back, those of its own bundle, is full: their weight times its
//   level, and `others`, are its capacity. `others` is the sum of weight times level of the other
//   bundles; each of these follows its bottleneck, and no level of theirs is higher.
// tight: the bundles of a tight one follow; `others` is their sum, and at most its capacity.
// idle: those of any other one have a safe level, not below their level; `others` is the sum of
//   weight times safe level, and at most its capacity.
//
// By the last three no resource is overfull; by the first two each flow has a full one on which
// nobody is faster. Such rates are max-min fair, and there is one such allocation (Bertsekas,
// Gallager: Data Networks, 1992, section 6.5.2).
//
// Kept by: whoever changes users or a capacity puts the resource into the queue; a level that
// changes moves `others` of its followers and puts them there (tell_followers()), and puts there
// the resources on which it passes a safe level (check_safe()). Settling makes the statement of the
// resource true. It ends, since the lowest level is settled first and hangs on lower ones only.
// Resources in `left_` have less than their capacity until follow_leaves().
#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/table.hpp"
#include "sim/kernel/max_min.hpp"

namespace ringscope::sim {
namespace {

/// Two levels that differ by less are equal: what rounding leaves of a difference.
constexpr double tolerance = 1e-25;

/// Operations for each part and resource after which the invariant is checked again: what that
/// costs is some hundredths of the whole.
constexpr std::uint64_t seldom = 16;

/// Joins that are foreseen once settling again has cost enough. Then guesses get another chance.
constexpr int foresights_to_come = 64;

/// Most levels differ in their first digits.
bool above(const Exact& level, const Exact& other) {
  constexpr double digits = 1e-12;
  const double difference = rounded(level) - rounded(other);
  if (difference > digits * rounded(level)) return true;
  if (-difference > digits * rounded(other)) return false;
  return level - other > other * tolerance;
}

}  // namespace

// One whose level falls while it waits comes earlier; one whose level rises is put back by
// settle_next().
void MaxMin::wait(int id) {
  Resource& waiting = resource(id);
  const double level = due(waiting);
  if (waiting.waits && level >= waiting.due) return;
  waiting.waits = true;
  waiting.due = level;
  queue_.push_back({level, id});
  std::push_heap(queue_.begin(), queue_.end());
}

void MaxMin::settle_next() {
  std::pop_heap(queue_.begin(), queue_.end());
  const Waiting next = queue_.back();
  queue_.pop_back();
  Resource& first = resource(next.resource);
  if (!first.waits || first.due != next.level) return;
  const double level = due(first);
  if (level > next.level && !queue_.empty() && level > queue_.front().level) {
    first.waits = false;
    return wait(next.resource);
  }
  settle(next.resource);
}

void MaxMin::settle(int id) {
  const std::uint64_t before = operations_++;
  resource(id).waits = false;
  if (resource(id).own >= 0)
    settle_level(id);
  else
    settle_idle(id);
  if (std::exchange(resource(id).settled, solves_) == solves_) again_ += operations_ - before;
}

// A resource that holds somebody back: its level, once it has taken over who is faster.
void MaxMin::settle_level(int id) {
  if (!resource(id).full) make_full(id);
  for (;;) {
    Resource& settled = resource(id);
    const Exact free = std::max(Exact{0}, settled.capacity - settled.others);
    const std::int64_t weight = bundle(settled.own).weight;
    const Exact level = weight == 1 ? free : free / static_cast<double>(weight);
    const bool look = settled.overtaken || settled.level == 0 || above(settled.level, level);
    const int fastest = look ? fastest_other(settled) : -1;
    if (fastest >= 0 && above(level_of(bundle(fastest)), level)) {
      take(fastest);
      continue;
    }
    settled.overtaken = false;
    if (settled.saturation == 0) settled.saturation = ++stamps_;
    return set_level(id, level);
  }
}

int MaxMin::fastest_other(const Resource& resource) {
  int fastest = -1;
  operations_ += resource.bundles.size();
  for (const int each : resource.bundles) {
    if (each == resource.own) continue;
    if (fastest < 0 || level_of(bundles_[each]) > level_of(bundles_[fastest])) fastest = each;
  }
  return fastest;
}

void MaxMin::make_full(int id) {
  Resource& made = resource(id);
  made.full = true;
  if (made.saturation == 0) made.saturation = ++stamps_;
  made.level = 0.0;
  if (std::exchange(made.tight, false)) return;
  made.others = 0.0;
  for (const int each : made.bundles) {
    if (each == made.own) continue;
    made.others += static_cast<double>(bundle(each).weight) * level_of(bundle(each));
    follow(each);
  }
}

// All its users are moved into the bundle of flows that it holds back itself.
void MaxMin::take(int id) {
  const int to = bundle(id).resource;
  taken_.clear();
  visit_users(id, [this](int flow) { taken_.push_back(flow); });
  for (const int flow : taken_)
    if (flows_[flow].bottleneck != to) move(flow, to);
}

void MaxMin::move(int id, int to) {
  Flow& flow = flows_[id];
  const int from = flow.bottleneck;
  note_moved(id);
  for (int number = 0; number < static_cast<int>(flow.parts.size()); ++number) {
    const int where = flow.parts[number].resource;
    const Exact safe = bundle(flow.parts[number].bundle).safe;
    drop_user(id, number);
    flow.bottleneck = to;
    add_user(id, number);
    flow.bottleneck = from;
    if (where == to) continue;
    if (resource(where).full || where == from) {
      wait(where);
      continue;
    }
    admit(flow.parts[number].bundle, safe);  // what was safe before
  }
  flow.bottleneck = to;
}

// A resource that holds nobody back. If it is overfull, it holds back the fastest.
void MaxMin::settle_idle(int id) {
  Resource& settled = resource(id);
  if (settled.full) make_idle(id);
  Exact used = settled.others;
  if (!settled.tight) {
    operations_ += settled.bundles.size();
    used = 0.0;
    for (const int each : settled.bundles)
      used += static_cast<double>(bundle(each).weight) * level_of(bundle(each));
  }
  if (above(used, settled.capacity)) {
    if (!settled.tight)
      for (const int each : settled.bundles) follow_no_longer(each);
    take(fastest_other(settled));
    return wait(id);
  }
  const double share = rounded(used) / settled.capacity;
  if (share < (settled.tight ? tight_until : tight_from)) return keep_safe(id, used);
  const bool was_tight = std::exchange(settled.tight, true);
  recheck(id);
  if (was_tight) return;
  settled.others = used;
  for (const int each : settled.bundles)
    if (bundle(each).follower < 0) follow(each);
}

// Its bundles get the same share of half of what is left as a margin; the other half is for flows
// to come.
void MaxMin::keep_safe(int id, Exact used) {
  Resource& kept = resource(id);
  kept.tight = false;
  kept.saturation = 0;
  for (const int each : kept.bundles) follow_no_longer(each);
  const Exact margin = used > 0 ? (1 + kept.capacity / used) / 2 : Exact{1};
  kept.others = used * margin;
  for (const int each : kept.bundles) make_safe(each, level_of(bundle(each)) * margin);
}

void MaxMin::set_level(int id, Exact level) {
  Resource& changed = resource(id);
  const Exact before = changed.level;
  touch(id);
  if (above(level, before) || above(before, level)) {
    changed.level = level;
    tell_followers(id, before);
  }
  check_safe(id);
}

// A follower that is overtaken looks at it when its turn comes: its own level may be about to rise
// as well.
void MaxMin::tell_followers(int id, Exact before) {
  const auto& followers = resource(id).followers;
  const Exact level = resource(id).level, change = level - before;
  const bool rises = above(level, before);
  operations_ += followers.size();
  for (const int each : followers) {
    const Bundle& told = bundle(each);
    Resource& there = resource(told.resource);
    there.others += told.weight == 1 ? change : change * static_cast<double>(told.weight);
    if (there.tight) {
      recheck(told.resource);
      if (stays_tight(there)) continue;
    }
    there.overtaken = there.overtaken || (rises && above(level, there.level));
    wait(told.resource);
  }
}

// Finds the resources on which a bundle of this bottleneck is no longer safe.
void MaxMin::check_safe(int id) {
  auto& heap = resource(id).safe;
  while (!heap.empty() && heap.front().level < resource(id).level) {
    const Safe entry = heap.front();
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
    if (bundle(entry.bundle).since != entry.since) continue;
    bundle(entry.bundle).since = 0;
    wait(bundle(entry.bundle).resource);
  }
}

bool MaxMin::has_sound_bundles() const {
  Table<std::int64_t> weights(bundles_.size());
  for (const Flow& flow : flows_) {
    bool held = flow.bottleneck < 0;
    for (const Part& part : flow.parts) {
      if (flow.bottleneck < 0) continue;
      const Bundle& joined = bundles_[part.bundle];
      if (joined.resource != part.resource || joined.bottleneck != flow.bottleneck) return false;
      weights[part.bundle] += part.weight;
      held = held || part.bundle == resources_[flow.bottleneck].own;
    }
    if (!held) return false;
  }
  return std::ranges::equal(weights, bundles_, [](auto own, auto& b) { return own == b.weight; });
}

std::string_view MaxMin::broken_statement() const {
  if (!has_sound_bundles()) return "bundles";
  for (std::size_t id = 0; id < resources_.size(); ++id) {
    const Resource& one = resources_[id];
    const std::string_view statement = one.full ? "full" : one.tight ? "tight" : "idle";
    const bool late = std::ranges::find(left_, static_cast<int>(id)) != left_.end();
    constexpr double digits = 1e-15;  // join_alone() compares doubles
    const double rounding = digits * one.capacity;
    Exact own = 0.0, others = 0.0;
    for (const int each : one.bundles) {
      const Bundle& other = bundles_[each];
      const bool is_own = each == one.own, follows = is_watched(one);
      const Exact level = follows ? level_of(other) : other.safe;
      (is_own ? own : others) += static_cast<double>(other.weight) * level;
      const bool sound = follows ? other.follower >= 0 : other.since != 0;
      const double most = rounded(one.full ? one.level : level) * (1 + digits);
      if (!is_own && !(sound && rounded(level_of(other)) <= most)) return statement;
    }
    const double over = rounded(own + others - one.capacity);
    const bool carries = one.full ? over >= -rounding || late : one.own < 0;
    if (!carries || over > rounding || std::abs(rounded(others - one.others)) > rounding)
      return statement;
  }
  return "";
}

bool MaxMin::check_is_due() {
  if (operations_ < next_check_) return false;
  next_check_ = operations_ + seldom * (parts_ + flows_.size() + resources_.size());
  return true;
}

MaxMin::Changes MaxMin::solve() {
  ++solves_;
  again_ = 0;
  for (bool foreseen = !joining_.empty() && let_join(); !queue_.empty();) {
    settle_next();
    if (foreseen || again_ <= parts_) continue;
    foreseen = true;
    entangled_ = foresights_to_come;
    foresee();
  }
  assert(!check_is_due() || broken_statement() == "");
  return tell();
}

void MaxMin::recheck_all() {
  for (const int id : to_recheck_) {
    Resource& settled = resource(id);
    settled.to_recheck = false;
    if (!settled.tight) continue;
    if (above(settled.capacity, settled.others))
      settled.saturation = 0;
    else if (settled.saturation == 0)
      settled.saturation = ++stamps_;
  }
  to_recheck_.clear();
}

MaxMin::Changes MaxMin::tell() {
  recheck_all();
  groups_.clear();
  for (const int id : touched_) {
    Resource& touched = resource(id);
    touched.touched = false;
    const double before = std::exchange(touched.told, rounded(touched.level));
    if (touched.own >= 0 && touched.told != before) groups_.push_back(id);
  }
  touched_.clear();
  told_.clear();
  for (const int id : moved_) {
    flows_[id].moved = false;
    if (flows_[id].bottleneck >= 0) told_.push_back(id);
  }
  moved_.clear();
  return {told_, groups_};
}

}  // namespace ringscope::sim
