// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/programs/walk.hpp"

#include <cmath>

namespace ringscope::programs {

bool Stand::holds(const Condition& condition) const {
  const GroupKind& kind = program_->kinds[condition.kind];
  if (!kind.has(rank_)) return false;
  const int place = kind.place_of(rank_);
  if (condition.which == Condition::Which::any) return true;
  if (condition.which == Condition::Which::even) return place % 2 == 0;
  if (condition.which == Condition::Which::odd) return place % 2 == 1;
  const auto& places = condition.places;
  return std::ranges::binary_search(places, place) ||
         std::ranges::binary_search(places, place - kind.size_with(rank_));
}

bool Stand::does(const Step& step) const {
  for (const Condition& condition : step.on)
    if (!holds(condition)) return false;
  if (!step.when.empty() && value(step.when) == 0) return false;
  if (step.kind == Step::Kind::together)
    return std::ranges::any_of(step.steps, [&](const Step& one) { return does(one); });
  if (step.kind == Step::Kind::collective) return group(step).has(rank_);
  if (step.kind != Step::Kind::send && step.kind != Step::Kind::receive) return true;
  return group(step).has(rank_) && partner_of(step) != -1;
}

double Stand::partner_of(const Step& message) const {
  const GroupKind& kind = group(message);
  const int place = kind.place_of(rank_), size = kind.size_with(rank_);
  if (message.partner.rule == Partner::Rule::place) {
    const double said = value(message.partner.place);
    return said == -1 ? -2 : said;  // an error, and not the lack of a neighbour
  }
  const int other = message.partner.rule == Partner::Rule::next ? place + 1 : place - 1;
  if (message.partner.around && size > 1) return (other + size) % size;
  return other >= 0 && other < size ? other : -1;
}

std::uint64_t whole_items(double bytes) {
  constexpr double rounding = 1e-9;
  return static_cast<std::uint64_t>(std::ceil(bytes - rounding * std::max(1.0, bytes)));
}

Walk::Walk(const Program& program, int rank) : stand_(program, rank), raised_(program.flags) {
  frames_.push_back({&program.steps});
}

void Walk::enter(const Step& block) {
  const int turns = static_cast<int>(std::lround(stand_.value(block.amount)));
  if (turns <= 0 || block.steps.empty()) return;
  stand_.set_turn(block.slot, 0);
  frames_.push_back({&block.steps, 0, block.slot, 0, turns, block.turns_differ});
}

// A rank that does nothing in one turn does nothing in all of them, where they do not differ.
bool Walk::go_on() {
  Frame& frame = frames_.back();
  const bool idle = !frame.gave && !frame.turns_differ;
  if (!idle && ++frame.turn < frame.turns) {
    frame.at = 0;
    stand_.set_turn(frame.slot, frame.turn);
    return true;
  }
  if (frames_.size() == 1) return false;
  const bool gave = frame.gave;
  frames_.pop_back();
  frames_.back().gave |= gave;
  return true;
}

const Step* Walk::next() {
  if (given_ != nullptr && given_->raises >= 0) ++raised_[given_->raises];
  given_ = nullptr;
  while (given_ == nullptr) {
    Frame& frame = frames_.back();
    if (frame.at < frame.steps->size()) {
      const Step& step = (*frame.steps)[frame.at++];
      if (!stand_.does(step)) continue;
      if (step.kind == Step::Kind::block) {
        enter(step);
      } else {
        given_ = &step;
        frame.gave = true;
      }
    } else if (!go_on()) {
      return nullptr;
    }
  }
  return given_;
}

std::int64_t Walk::awaited(const After& after) const {
  return std::max<std::int64_t>(0, raised_[after.flag] - after.back);
}

}  // namespace ringscope::programs
