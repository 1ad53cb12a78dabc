// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/whereabouts.hpp"

#include <fmt/format.h>

namespace ringscope {
namespace {

/// Range into which a verb puts data, if it does.
const Range* written(const Operation& operation) {
  switch (operation.verb) {
    case Verb::irecv:
    case Verb::recv:
    case Verb::reduce:
    case Verb::copy:
      return &operation.range;
    case Verb::sendrecv:
      return &operation.other;
    default:
      return nullptr;
  }
}

}  // namespace

void Writes::note(const Operation& operation, std::string_view phase, int step) {
  if (const Range* range = written(operation); range != nullptr && range->buffer == Buffer::data)
    writes_.push_back({operation.verb, *range, phase, step});
}

std::string Writes::last(std::size_t item) const {
  const auto covers = [item](const Write& write) {
    return item >= write.range.offset && item < write.range.offset + write.range.size;
  };
  const auto found = std::find_if(writes_.rbegin(), writes_.rend(), covers);
  if (found == writes_.rend()) return "";
  return fmt::format(
      "{}{}", found->phase.empty() ? "" : fmt::format("{}, step {}, ", found->phase, found->step),
      name_of(found->verb));
}

void Whereabouts::mark(Mark mark) {
  const std::string* known = phase_;
  if (known == nullptr || *known != mark.phase) {
    const auto found = std::ranges::find(names_, mark.phase);
    known = found == names_.end() ? &names_.emplace_back(mark.phase) : &*found;
    phase_ = known;
  }
  step_.store(mark.step, std::memory_order_relaxed);
}

void Whereabouts::enter(const std::string_view& call, int peer) {
  call_.store(&call, std::memory_order_relaxed);
  peer_.store(peer, std::memory_order_relaxed);
  entered_.store(entered() + 1, std::memory_order_relaxed);
}

void Whereabouts::enter(const Operation& operation) {
  const bool has_peer = operation.verb <= Verb::sendrecv;
  enter(verb_names[operation.verb], has_peer ? operation.peer : -1);
}

std::string_view Whereabouts::phase() const {
  const std::string* phase = phase_;
  return phase == nullptr ? "" : std::string_view(*phase);
}

std::string Whereabouts::text() const {
  const std::string_view* call = call_;
  const int peer = peer_;
  const std::string place = phase().empty() ? "" : fmt::format("{}, step {}, ", phase(), step());
  return fmt::format("{}{}{}", place, call == nullptr ? "nothing yet" : *call,
                     peer < 0 ? "" : fmt::format(" with rank {}", peer));
}

std::size_t PhaseTimes::find(std::string_view phase, int step) {
  const std::size_t known = times_.size();
  for (std::size_t i = 0; i < known; ++i) {
    const std::size_t place = (last_ + 1 + i) % known;
    if (times_[place].step == step && times_[place].phase == phase) return place;
  }
  times_.push_back({std::string(phase), step, 0});
  return known;
}

void PhaseTimes::mark(Mark mark, double now) {
  end(now);
  last_ = find(mark.phase, mark.step);
  entered_ = now;
  inside_ = true;
}

void PhaseTimes::end(double now) {
  if (inside_) times_[last_].seconds += now - entered_;
  inside_ = false;
}

void PhaseTimes::add(std::string_view phase, int step, double seconds) {
  last_ = find(phase, step);
  times_[last_].seconds += seconds;
}

void PhaseTimes::add(const PhaseTimes& other) {
  for (const PhaseTime& time : other.times()) add(time.phase, time.step, time.seconds);
}

}  // namespace ringscope
