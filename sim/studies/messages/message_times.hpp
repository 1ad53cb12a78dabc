// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of placed jobs by their messages and computations alone: cheap, and one of them a bound.
#pragma once

#include <optional>

#include "scenarios/question/scenario.hpp"

namespace ringscope {

struct MessageTimes {
  /// No run takes less. Of two numbers the larger: what the busiest resource has to carry; the
  /// longest chain of messages and computations.
  double least_s = 0;
  /// Each resource carries one message after the other, as they come. For a ranking alone.
  double likely_s = 0;
};

/// Times by the resources of the simulated machine and the costs of the library. `only_routes`:
/// placements that count as equal have equal routes; else links between switches do not count for
/// `least_s`. Nothing of jobs whose messages are not known beforehand, or are too many, and where
/// times are drawn.
std::optional<MessageTimes> message_times(const Scenario& placed, bool only_routes);

}  // namespace ringscope
