// SPDX-License-Identifier: LGPL-2.1-or-later
// Which bottleneck a flow will have, before anything is settled: guessed, or foreseen.
#include <algorithm>

#include "sim/kernel/max_min.hpp"

namespace ringscope::sim {
namespace {

/// Flows that come together are many if this many times their parts are more than all parts: each
/// of them would change what the others meet.
constexpr std::size_t many_joins = 50;

}  // namespace

// A guess, which settling corrects: the full resource that would give it least, or else the one
// that has least for each of its users.
int MaxMin::likely_bottleneck(const Flow& flow) const {
  int likely = -1;
  bool full = false;
  double least = 0;
  for (const Part& part : flow.parts) {
    const Resource& there = resources_[part.resource];
    if (full && !there.full) continue;
    double weight = part.weight, capacity = there.capacity;
    if (there.full) {
      capacity -= rounded(there.others);
      if (there.own >= 0) weight += static_cast<double>(bundles_[there.own].weight);
    } else {
      for (const Share& share : there.shares) weight += static_cast<double>(share.weight);
    }
    if (likely >= 0 && full == there.full && capacity / weight >= least) continue;
    likely = part.resource;
    full = there.full;
    least = capacity / weight;
  }
  return likely;
}

void MaxMin::begin_guessed(int id) {
  const int likely = likely_bottleneck(flows_[id]);
  begin(id, likely, 2 * resource(likely).level);
}

void MaxMin::begin(int id, int bottleneck, Exact safe) {
  Flow& flow = flows_[id];
  flow.bottleneck = bottleneck;
  for (int part = 0; part < static_cast<int>(flow.parts.size()); ++part) {
    add_user(id, part);
    const auto& [where, weight, joined, position] = flow.parts[part];
    if (where == flow.bottleneck || resource(where).full)
      wait(where);
    else
      admit(joined, safe);
  }
}

// Where many levels change at once, each hangs on others that have yet to change: flows are taken
// over and given back, and all is settled many times. Once that has cost an operation for each part
// of a flow, about what it costs to foresee what becomes of these, or when many flows join, the
// bottlenecks are foreseen, with the digits of a double, and then settled in the order of their
// levels. What is foreseen wrongly is settled as ever. Of equal bottlenecks the one that a flow has
// or would be guessed is as good.
void MaxMin::foresee() {
  operations_ += parts_;
  fill();
  for (const Foreseen& each : foreseen_) {
    const Flow& flow = flows_[each.flow];
    const bool joins = flow.bottleneck < 0;
    const int from = joins ? likely_bottleneck(flow) : flow.bottleneck;
    const bool equal = is_full_at(filled_[from], each.level);
    if (joins) begin(each.flow, equal ? from : each.bottleneck, 2 * each.level);
    if (joins || equal) continue;
    move(each.flow, each.bottleneck);
    wait(each.bottleneck);
    if (resource(from).own < 0) lose_all(from);
  }
  for (const int id : rising_)
    if (resource(id).waits && resource(id).own >= 0) settle(id);
}

// Progressive filling: all flows get faster, until a resource that they use is full.
void MaxMin::fill() {
  filled_.resize(resources_.size());
  held_back_.resize(flows_.size());
  rising_.clear();
  foreseen_.clear();
  ++foresights_;
  for (const int id : in_use_) filled(id);
  fill_in_joining();
  for (Waiting& each : filling_) each.level = level_of(filled_[each.resource]);
  std::make_heap(filling_.begin(), filling_.end());
  while (!filling_.empty()) {
    std::pop_heap(filling_.begin(), filling_.end());
    Waiting& next = filling_.back();
    const int id = next.resource;
    const double level = level_of(filled_[id]);
    const bool waits =
        filled_[id].weight > 0 && filling_.size() > 1 && level > filling_.front().level;
    next.level = level;
    if (waits) {
      std::push_heap(filling_.begin(), filling_.end());
      continue;
    }
    filling_.pop_back();
    if (filled_[id].weight > 0) hold_back(id, level);
  }
}

/// A resource that is to be filled, from the first time on that this foresight comes to it.
MaxMin::Filled& MaxMin::filled(int id) {
  Filled& there = filled_[id];
  if (std::exchange(there.foresight, foresights_) == foresights_) return there;
  there = {.left = resources_[id].capacity, .foresight = foresights_};
  for (const Share& share : resources_[id].shares) there.weight += share.weight;
  filling_.push_back({0, id});
  return there;
}

// Flows that join are in no bundle yet: each resource has a chain of them.
void MaxMin::fill_in_joining() {
  chains_.clear();
  for (const int id : joining_)
    for (const Part& part : flows_[id].parts) {
      Filled& there = filled(part.resource);
      there.weight += part.weight;
      chains_.push_back({id, std::exchange(there.chain, static_cast<int>(chains_.size()))});
    }
}

void MaxMin::hold_back(int id, double level) {
  rising_.push_back(id);
  filled_[id].level = level;
  for (const int each : resource(id).bundles) {
    if (bundle(each).users.size() > 2 * bundle(each).size) drop_gone(each);
    const auto& users = bundle(each).users;
    // Most are held back already, which a small table tells: their flows are in no cache.
    for (int i = 0; i < std::ssize(users); ++i)
      if (held_back_[users[i].flow] != foresights_ && is_user(each, i))
        hold(users[i].flow, id, level);
  }
  for (int link = filled_[id].chain; link >= 0; link = chains_[link].next)
    if (held_back_[chains_[link].flow] != foresights_) hold(chains_[link].flow, id, level);
}

void MaxMin::hold(int id, int bottleneck, double level) {
  held_back_[id] = foresights_;
  const Flow& held = flows_[id];
  for (const Part& part : held.parts) {
    Filled& there = filled_[part.resource];
    there.left -= part.weight * level;
    there.weight -= part.weight;
  }
  if (held.bottleneck != bottleneck) foreseen_.push_back({id, bottleneck, level});
}

// Where levels hang on each other, the bottlenecks of many flows that join are foreseen. Elsewhere,
// as on a star, guesses are right and keep alike what is alike.
bool MaxMin::let_join() {
  std::size_t parts = 0;
  for (const int id : joining_) parts += flows_[id].parts.size();
  const bool many = parts * many_joins > parts_;
  if (many) {
    foresee();
    --entangled_;
  } else {
    for (const int id : joining_) begin_guessed(id);
  }
  joining_.clear();
  return many;
}

}  // namespace ringscope::sim
