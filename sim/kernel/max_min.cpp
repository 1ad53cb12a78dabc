// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/kernel/max_min.hpp"

#include <algorithm>
#include <cassert>

namespace ringscope::sim {
namespace {

/// Resources with more bundles than this find them by a table.
constexpr std::size_t many_bundles = 8;

/// Lists shorter than this are not looked through for void entries.
constexpr std::size_t least_cleared = 64;

/// Most users of a resource are alone on it, with a weight of 1.
Exact share(double capacity, std::int64_t weight) {
  return weight == 1 ? Exact(capacity) : Exact(capacity) / static_cast<double>(weight);
}

}  // namespace

int MaxMin::add_resource(double capacity) {
  assert(capacity > 0);
  resources_.emplace_back().capacity = capacity;
  return static_cast<int>(resources_.size()) - 1;
}

void MaxMin::set_capacity(int id, double capacity) {
  assert(capacity > 0);
  resource(id).capacity = capacity;
  if (resource(id).saturation != 0) resource(id).saturation = ++stamps_;
  if (!resource(id).bundles.empty()) wait(id);
}

void MaxMin::set_uses(int id, std::span<const Use> uses) {
  Flow& flow = flows_.grown(id);
  assert(flow.bottleneck < 0);
  flow.parts.clear();
  for (const Use& use : uses) {
    assert(use.weight > 0);
    flow.parts.push_back({use.resource, use.weight, -1, 0});
  }
}

int MaxMin::find_bundle(int id, int bottleneck) const {
  const Resource& resource = resources_[id];
  if (id == bottleneck) return resource.own;
  if (resource.bundles.size() > many_bundles) return resource.by_bottleneck.find(bottleneck);
  for (std::size_t i = 0; i < resource.shares.size(); ++i)
    if (resource.shares[i].bottleneck == bottleneck) return resource.bundles[i];
  return -1;
}

// On a full or tight resource it follows its bottleneck; elsewhere no level of it is safe yet.
int MaxMin::open_bundle(int where, int bottleneck) {
  const int id = bundles_.take();
  Resource& there = resource(where);
  Bundle& opened = bundle(id);
  opened.resource = where;
  opened.bottleneck = bottleneck;
  opened.weight = 0;
  opened.size = 0;
  opened.position = static_cast<int>(there.bundles.size());
  opened.follower = -1;
  opened.since = 0;
  opened.safe = -1;
  if (there.bundles.empty()) {
    there.place = static_cast<int>(in_use_.size());
    in_use_.push_back(where);
  }
  there.bundles.push_back(id);
  there.shares.push_back({bottleneck, 0});
  if (there.bundles.size() == many_bundles + 1)
    for (const int each : there.bundles) there.by_bottleneck.add(bundle(each).bottleneck, each);
  else if (there.bundles.size() > many_bundles)
    there.by_bottleneck.add(bottleneck, id);
  if (where == bottleneck)
    there.own = id;
  else if (is_watched(there))
    follow(id);
  return id;
}

void MaxMin::close_bundle(int id) {
  Bundle& closed = bundle(id);
  Resource& there = resource(closed.resource);
  follow_no_longer(id);
  closed.since = 0;
  closed.users.clear();
  if (there.own == id) there.own = -1;
  if (there.bundles.size() == many_bundles + 1)
    there.by_bottleneck.clear();
  else if (there.bundles.size() > many_bundles)
    there.by_bottleneck.remove(closed.bottleneck);
  const int last = there.bundles.back();
  there.bundles[closed.position] = last;
  there.shares[closed.position] = there.shares.back();
  bundle(last).position = closed.position;
  there.bundles.pop_back();
  there.shares.pop_back();
  if (there.bundles.empty()) {
    resource(in_use_.back()).place = there.place;
    in_use_[there.place] = in_use_.back();
    in_use_.pop_back();
    there.place = -1;
  }
  bundles_.release(id);
}

void MaxMin::follow(int id) {
  Bundle& followed = bundle(id);
  auto& followers = resource(followed.bottleneck).followers;
  followed.since = 0;
  followed.follower = static_cast<int>(followers.size());
  followers.push_back(id);
}

void MaxMin::follow_no_longer(int id) {
  Bundle& left = bundle(id);
  if (left.follower < 0) return;
  auto& followers = resource(left.bottleneck).followers;
  followers[left.follower] = followers.back();
  bundle(followers.back()).follower = left.follower;
  followers.pop_back();
  left.follower = -1;
}

void MaxMin::make_safe(int id, Exact level) {
  Bundle& made = bundle(id);
  auto& heap = resource(made.bottleneck).safe;
  made.safe = level;
  made.since = ++stamps_;
  std::size_t& most = resource(made.bottleneck).most_safe;
  if (heap.size() >= most) {  // half of them are void
    const auto is_void = [this](const Safe& entry) {
      return bundle(entry.bundle).since != entry.since;
    };
    heap.erase(std::remove_if(heap.begin(), heap.end(), is_void), heap.end());
    std::make_heap(heap.begin(), heap.end());
    most = std::max(least_cleared, 2 * heap.size());
  }
  heap.push_back({level, id, made.since});
  if (heap.size() > 1) std::push_heap(heap.begin(), heap.end());
}

void MaxMin::add_user(int id, int number) {
  ++operations_;
  const Flow& flow = flows_[id];
  const int where = flow.parts[number].resource;
  int found = find_bundle(where, flow.bottleneck);
  if (found < 0) found = open_bundle(where, flow.bottleneck);
  Part& part = flows_[id].parts[number];
  Bundle& joined = bundle(found);
  part.bundle = found;
  if (joined.users.size() > least_cleared && joined.users.size() > 2 * joined.size)
    drop_gone(found);
  part.position = static_cast<int>(joined.users.size());
  joined.users.push_back({id, number});
  ++joined.size;
  joined.weight += part.weight;
  Resource& there = resource(where);
  there.shares[joined.position].weight = joined.weight;
  if (where == flow.bottleneck) return;
  if (!is_watched(there)) {
    if (joined.since != 0) there.others += part.weight * joined.safe;
    return;
  }
  there.others += part.weight * level_of(joined);
  recheck(where);
  there.overtaken = there.overtaken || level_of(joined) > there.level;
}

void MaxMin::drop_user(int id, int number) {
  ++operations_;
  Part& part = flows_[id].parts[number];
  const int from = std::exchange(part.bundle, -1);
  Bundle& left = bundle(from);
  --left.size;
  left.weight -= part.weight;
  Resource& there = resource(part.resource);
  there.shares[left.position].weight = left.weight;
  if (part.resource != left.bottleneck && is_watched(there)) {
    there.others -= part.weight * level_of(left);
    recheck(part.resource);
  } else if (part.resource != left.bottleneck && left.since != 0) {
    there.others -= part.weight * left.safe;
  }
  if (left.size == 0) close_bundle(from);
}

void MaxMin::drop_gone(int id) {
  auto& users = bundle(id).users;
  std::size_t kept = 0;
  for (int i = 0; i < std::ssize(users); ++i) {
    if (!is_user(id, i)) continue;
    flows_[users[i].flow].parts[users[i].part].position = static_cast<int>(kept);
    users[kept++] = users[i];
  }
  users.resize(kept);
}

// A bundle on a resource that is not full: one that is to have a safe level and has none yet gets
// this one. The resource is settled only if it might be overfull then.
void MaxMin::admit(int id, Exact level) {
  const int where = bundle(id).resource;
  Resource& there = resource(where);
  if (there.waits) return;
  if (!there.tight && bundle(id).since == 0) {
    there.others += static_cast<double>(bundle(id).weight) * level;
    make_safe(id, level);
  }
  if (there.others > there.capacity) wait(where);
}

// Resource that limits a flow which has all that it uses to itself.
const MaxMin::Part& MaxMin::slowest_part(const Flow& flow) const {
  const auto rate = [this](const Part& part) {
    return resources_[part.resource].capacity / part.weight;
  };
  return *std::ranges::min_element(flow.parts,
                                   [&](const Part& a, const Part& b) { return rate(a) < rate(b); });
}

// A flow that finds all that it uses idle needs no settling.
void MaxMin::join_alone(int id) {
  Flow& flow = flows_[id];
  const int slowest = slowest_part(flow).resource;
  Resource& limit = resource(slowest);
  flow.bottleneck = slowest;
  limit.full = true;
  limit.saturation = ++stamps_;
  limit.others = 0.0;
  for (int part = 0; part < static_cast<int>(flow.parts.size()); ++part) add_user(id, part);
  limit.level = share(limit.capacity, bundle(limit.own).weight);
  touch(slowest);
  for (const Part& part : flow.parts) {
    if (part.resource == slowest) continue;
    const std::int64_t weight = bundle(part.bundle).weight;
    resource(part.resource).others = resource(part.resource).capacity;
    make_safe(part.bundle, share(resource(part.resource).capacity, weight));
  }
}

bool MaxMin::is_uncontended(int id) const {
  const auto& parts = flows_[id].parts;
  return std::ranges::all_of(
      parts, [this](const Part& part) { return resources_[part.resource].bundles.empty(); });
}

double MaxMin::likely_rate(int id) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Part& part : flows_[id].parts) {
    const Resource& there = resources_[part.resource];
    double weight = part.weight;
    if (there.own >= 0) weight += static_cast<double>(bundles_[there.own].weight);
    least = std::min(least, (there.capacity - (there.full ? rounded(there.others) : 0)) / weight);
  }
  return least;
}

void MaxMin::join(int id) {
  Flow& flow = flows_[id];
  assert(flow.bottleneck < 0);
  note_moved(id);
  parts_ += flow.parts.size();
  if (is_uncontended(id)) return join_alone(id);
  if (entangled_ == 0) return begin_guessed(id);
  joining_.push_back(id);
}

void MaxMin::leave(int id) {
  drop_out(id);
  follow_leaves();
}

bool MaxMin::leave_for_later(int id) {
  const std::size_t before = left_.size();
  drop_out(id);
  for (std::size_t i = before; i < left_.size(); ++i) resource(left_[i]).saturation = 0;
  return left_.size() > before;
}

// Bottlenecks on its way have less to carry then, until that is followed.
void MaxMin::drop_out(int id) {
  Flow& flow = flows_[id];
  parts_ -= flow.parts.size();
  if (parts_ == 0) entangled_ = 0;
  if (flow.bottleneck < 0) {  // it has joined since the last solve()
    std::erase(joining_, id);
    return;
  }
  for (int part = 0; part < static_cast<int>(flow.parts.size()); ++part) drop_user(id, part);
  for (const Part& part : flow.parts) {
    const Resource& there = resource(part.resource);
    if (there.bundles.empty())
      make_idle(part.resource);
    else if (there.full)
      left_.push_back(part.resource);
  }
  flow.bottleneck = -1;
}

void MaxMin::follow_leaves() {
  for (const int id : left_)
    if (!resource(id).bundles.empty()) wait(id);
  left_.clear();
}

}  // namespace ringscope::sim
