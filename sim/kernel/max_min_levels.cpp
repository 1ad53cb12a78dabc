// Settling: levels after a change, from the lowest upwards.
#include <algorithm>
#include <cassert>

#include "sim/kernel/max_min.hpp"

namespace ringscope::sim {
namespace {

/// Two levels that differ by less are equal: what rounding leaves of a difference.
constexpr double tolerance = 1e-25;

bool above(const Exact& level, const Exact& other) { return level - other > other * tolerance; }

}  // namespace

void MaxMin::wait(int id) {
  Resource& waiting = resource(id);
  if (std::exchange(waiting.waits, true)) return;
  // Resources that are not full are looked at last: by then nobody's level changes any more.
  double level = std::numeric_limits<double>::infinity();
  if (waiting.own >= 0)
    level = (waiting.capacity - rounded(waiting.others)) /
            static_cast<double>(bundle(waiting.own).weight);
  queue_.push_back({level, id});
  std::push_heap(queue_.begin(), queue_.end());
}

void MaxMin::settle(int id) {
  ++operations_;
  resource(id).waits = false;
  if (resource(id).own >= 0)
    settle_level(id);
  else
    settle_idle(id);
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
    return set_level(id, level);
  }
}

int MaxMin::fastest_other(const Resource& resource) {
  int fastest = -1;
  operations_ += resource.bundles.size();
  for (const int each : resource.bundles) {
    if (each == resource.own) continue;
    if (fastest < 0 || level_of(bundles_[index(each)]) > level_of(bundles_[index(fastest)]))
      fastest = each;
  }
  return fastest;
}

void MaxMin::make_full(int id) {
  Resource& made = resource(id);
  made.full = true;
  made.level = 0.0;
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
  for (const User& user : bundle(id).users) taken_.push_back(user.flow);
  for (const int flow : taken_)
    if (flows_[index(flow)].bottleneck != to) move(flow, to);
}

void MaxMin::move(int id, int to) {
  Flow& flow = flows_[index(id)];
  const int from = flow.bottleneck;
  note_moved(id);
  for (int number = 0; number < static_cast<int>(flow.parts.size()); ++number) {
    const int where = flow.parts[index(number)].resource;
    const Exact safe = bundle(flow.parts[index(number)].bundle).safe;
    drop_user(id, number);
    flow.bottleneck = to;
    add_user(id, number);
    flow.bottleneck = from;
    if (where == to) continue;
    if (resource(where).full || where == from) {
      wait(where);
      continue;
    }
    admit(flow.parts[index(number)].bundle, safe);  // what was safe before
  }
  flow.bottleneck = to;
}

// A resource that holds nobody back: its bundles get the same share of half of what is left as a
// margin; the other half is for flows to come. If it is overfull, it holds back the fastest.
void MaxMin::settle_idle(int id) {
  Resource& settled = resource(id);
  if (settled.full) make_idle(id);
  for (const int each : settled.bundles) follow_no_longer(each);
  Exact used = 0;
  for (const int each : settled.bundles)
    used += static_cast<double>(bundle(each).weight) * level_of(bundle(each));
  operations_ += settled.bundles.size();
  if (above(used, settled.capacity)) {
    take(fastest_other(settled));
    return wait(id);
  }
  const Exact margin = used > 0 ? std::max(Exact{1}, (1 + settled.capacity / used) / 2) : Exact{1};
  settled.others = used * margin;
  for (const int each : settled.bundles) make_safe(each, level_of(bundle(each)) * margin);
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

// Bundles that are taken over leave the list, and may take others along: they are looked at again.
void MaxMin::tell_followers(int id, Exact before) {
  const auto& followers = resource(id).followers;
  const Exact level = resource(id).level;
  operations_ += followers.size();
  too_fast_.clear();
  for (const int each : followers) {
    const int where = bundle(each).resource;
    resource(where).others += static_cast<double>(bundle(each).weight) * (level - before);
    wait(where);
    if (above(level, before) && above(level, resource(where).level)) too_fast_.push_back(each);
  }
  for (const int each : too_fast_)
    if (bundle(each).bottleneck == id && bundle(each).follower >= 0) take(each);
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

MaxMin::Changes MaxMin::solve() {
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const int next = queue_.back().resource;
    queue_.pop_back();
    settle(next);
  }
  return tell();
}

MaxMin::Changes MaxMin::tell() {
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
    flows_[index(id)].moved = false;
    if (flows_[index(id)].bottleneck >= 0) told_.push_back(id);
  }
  moved_.clear();
  return {told_, groups_};
}

}  // namespace ringscope::sim
