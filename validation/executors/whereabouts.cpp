// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/whereabouts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "validation/executors/writes.hpp"

namespace ringscope {

void Whereabouts::mark(Mark mark) {
  const std::string* known = phase_;
  if (known == nullptr || *known != mark.phase) {
    const auto found = std::find(names_.begin(), names_.end(), mark.phase);
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

}  // namespace ringscope
