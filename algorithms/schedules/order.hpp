// SPDX-License-Identifier: LGPL-2.1-or-later
// Order of a schedule's steps: which sends meet which receives, and that no steps wait for each
// other in a circle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/schedules/schedule.hpp"

namespace ringscope::schedules {

// Does a schedule compute what its collective promises? Run by the loopback executor, with data
// that tell of each item in the end which ranks' chunks it is the sum of.

/// Description of an error, and the step to look at.
struct Flaw {
  std::string text;
  std::optional<StepId> step;
};

/// Nothing where every run is right: with sends that wait for their receives and with sends that do
/// not, blocks in several orders. Requires a schedule whose order is sound (order.hpp).
std::optional<Flaw> flaw_of(const Schedule& schedule);

// The order of the steps.

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
