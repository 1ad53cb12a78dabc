// SPDX-License-Identifier: LGPL-2.1-or-later
// Order of a schedule's steps: which sends meet which receives, and that no steps wait for each
// other in a circle.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/schedules/schedule.hpp"

namespace ringscope::schedules {

/// A send without its receive, a receive without its send, or two of different sizes.
struct Unmatched {
  StepId step;
  std::optional<StepId> other;  ///< what it meets, of another size
  Kind kind{};                  ///< of the step: send or receive
  int peer = -1;
};

/// A step and what it waits for.
struct Waits {
  enum class For : std::uint8_t { own, block, sender };
  StepId step;
  For what{};  ///< the step before it in its block, one of another block, the send that it receives
};

struct Order {
  std::optional<Unmatched> unmatched{};  ///< the first; then nothing else is said
  std::vector<Waits> circle{};           ///< each waits for the next one, the last for the first
  std::int64_t longest_chain = 0;        ///< messages, one after the other
};

/// Requires peers and blocks that exist.
Order order_of(const Schedule& schedule);

}  // namespace ringscope::schedules
