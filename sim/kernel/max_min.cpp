#include "sim/kernel/max_min.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace ringscope::sim {
namespace {

/// Two rates that differ by less are equal: what rounding leaves of a difference.
constexpr Exact rate_tolerance = 1e-28;

}  // namespace

int MaxMin::add_resource(double capacity) {
  assert(capacity > 0);
  resources_.emplace_back().capacity = capacity;
  return static_cast<int>(resources_.size()) - 1;
}

void MaxMin::set_capacity(int resource, double capacity) {
  assert(capacity > 0);
  resources_[index(resource)].capacity = capacity;
  // Whoever uses it may be too fast now.
  for (const User& user : resources_[index(resource)].users) new_flows_.push_back(user.flow);
}

void MaxMin::note_change(int resource) {
  if (!std::exchange(resources_[index(resource)].changed, true)) changed_.push_back(resource);
}

void MaxMin::set_uses(int id, std::span<const Use> uses) {
  if (index(id) >= flows_.size()) flows_.resize(index(id) + 1);
  Flow& flow = flows_[index(id)];
  assert(!flow.flows);
  flow.parts.clear();
  for (const Use& use : uses) {
    assert(use.weight > 0);
    flow.parts.push_back({use.resource, use.weight, 0});
  }
}

// Most flows find all that they use idle: the work of a core that has nothing else to do. These
// need no solving.
void MaxMin::join(int id) {
  Flow& flow = flows_[index(id)];
  assert(!flow.flows);
  flow.flows = true;
  flow.told = false;
  flow.rate = 0;
  flow.bottleneck = -1;
  int number = 0, slowest = -1;
  Exact least = std::numeric_limits<double>::infinity();
  bool alone = true;
  for (Part& part : flow.parts) {
    Resource& resource = resources_[index(part.resource)];
    alone = alone && resource.users.empty();
    const Exact rate = Exact(resource.capacity) / part.weight;
    if (rate < least) {
      least = rate;
      slowest = part.resource;
    }
    part.position = static_cast<int>(resource.users.size());
    resource.users.push_back({id, number++});
  }
  if (!alone) return new_flows_.push_back(id);
  flow.rate = least;
  flow.bottleneck = slowest;
  alone_.push_back(id);
}

void MaxMin::leave(int id) {
  Flow& flow = flows_[index(id)];
  assert(flow.flows);
  flow.flows = false;
  for (const Part& part : flow.parts) {
    auto& users = resources_[index(part.resource)].users;
    const User last = users.back();
    users.pop_back();
    if (users.empty()) continue;
    if (index(part.position) != users.size()) {
      users[index(part.position)] = last;
      flows_[index(last.flow)].parts[index(last.part)].position = part.position;
    }
    note_change(part.resource);
  }
}

std::span<const int> MaxMin::solve() {
  reported_.clear();
  if (!new_flows_.empty() || !changed_.empty()) {
    ++epoch_;
    again_.clear();
    looked_at_.clear();
    include_changed();
    // Solve all that is connected where changes spread far: cheaper than to feel the way.
    constexpr int most_attempts = 12;
    for (int attempt = 1;; ++attempt) {
      fill();
      if (!expand()) break;
      if (attempt == most_attempts) include_users();
    }
    for (const int id : again_) {
      Flow& flow = flows_[index(id)];
      flow.bottleneck = flow.next_bottleneck;
      const double before = rate(id);
      flow.rate = flow.next_rate;
      if (rate(id) != before) flow.told = false;
      report(id);
    }
  }
  for (const int id : alone_) report(id);
  alone_.clear();
  return reported_;
}

void MaxMin::report(int id) {
  Flow& flow = flows_[index(id)];
  if (!flow.flows || std::exchange(flow.told, true)) return;
  reported_.push_back(id);
}

void MaxMin::include(int id) {
  Flow& flow = flows_[index(id)];
  if (flow.epoch == epoch_) return;
  flow.epoch = epoch_;
  again_.push_back(id);
  for (const Part& part : flow.parts) {
    Resource& resource = resources_[index(part.resource)];
    if (resource.epoch == epoch_) continue;
    resource.epoch = epoch_;
    looked_at_.push_back(part.resource);
  }
}

void MaxMin::include_changed() {
  for (const int flow : new_flows_)
    if (flows_[index(flow)].flows) include(flow);
  new_flows_.clear();
  for (const int id : changed_) {
    resources_[index(id)].changed = false;
    for (const User& user : resources_[index(id)].users)
      if (flows_[index(user.flow)].bottleneck == id) include(user.flow);
  }
  changed_.clear();
}

// All flows that hang together with those that are solved again.
void MaxMin::include_users() {
  for (std::size_t i = 0; i < looked_at_.size(); ++i)
    for (const User& user : resources_[index(looked_at_[i])].users) include(user.flow);
}

// Progressive filling: the rates grow together; where a resource is full its users are held back.
// Flows that are not solved again keep what they have.
void MaxMin::fill() {
  levels_.clear();
  for (const int id : looked_at_) {
    Resource& resource = resources_[index(id)];
    resource.left = resource.capacity;
    resource.weight = 0;
    resource.level = -1;
    for (const User& user : resource.users) {
      const Flow& flow = flows_[index(user.flow)];
      const int weight = flow.parts[index(user.part)].weight;
      if (flow.epoch == epoch_)
        resource.weight += weight;
      else
        resource.left -= weight * flow.rate;
    }
    levels_.push_back({resource.left / static_cast<Exact>(resource.weight), id});
  }
  for (const int flow : again_) flows_[index(flow)].next_bottleneck = -1;
  std::make_heap(levels_.begin(), levels_.end());
  while (!levels_.empty()) {
    std::pop_heap(levels_.begin(), levels_.end());
    const Level lowest = levels_.back();
    levels_.pop_back();
    const Resource& resource = resources_[index(lowest.resource)];
    if (resource.weight == 0) continue;
    // Levels only grow while others are held back below them.
    const Exact level = resource.left / static_cast<Exact>(resource.weight);
    if (!levels_.empty() && level > levels_.front().level) {
      levels_.push_back({level, lowest.resource});
      std::push_heap(levels_.begin(), levels_.end());
    } else {
      hold_back(lowest.resource, std::max(level, Exact{0}));
    }
  }
}

void MaxMin::hold_back(int id, Exact level) {
  resources_[index(id)].level = level;
  for (const User& user : resources_[index(id)].users) {
    Flow& flow = flows_[index(user.flow)];
    if (flow.epoch != epoch_ || flow.next_bottleneck >= 0) continue;
    flow.next_bottleneck = id;
    flow.next_rate = level;
    for (const Part& part : flow.parts) {
      Resource& resource = resources_[index(part.resource)];
      resource.left -= part.weight * level;
      resource.weight -= part.weight;
    }
  }
}

// Includes the flows whose bottleneck is one no longer. False: there are none.
bool MaxMin::expand() {
  faster_.clear();
  for (const int resource : looked_at_) check(resource);
  for (const int flow : faster_) include(flow);
  return !faster_.empty();
}

void MaxMin::check(int id) {
  const Resource& resource = resources_[index(id)];
  const bool full = resource.left <= rate_tolerance * resource.capacity;
  Exact fastest = 0;
  bool others = false;
  for (const User& user : resource.users) {
    const Flow& flow = flows_[index(user.flow)];
    const bool again = flow.epoch == epoch_;
    fastest = std::max(fastest, again ? flow.next_rate : flow.rate);
    others = others || !again;
  }
  if (!others) return;
  for (const User& user : resource.users) {
    const Flow& flow = flows_[index(user.flow)];
    if (flow.epoch == epoch_) continue;
    const bool held_here = flow.bottleneck == id;
    const bool too_slow = held_here && (!full || fastest > flow.rate * (1 + rate_tolerance));
    const bool too_fast = resource.level >= 0 && flow.rate > resource.level * (1 + rate_tolerance);
    if (too_slow || too_fast) faster_.push_back(user.flow);
  }
}

}  // namespace ringscope::sim
