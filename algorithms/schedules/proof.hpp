// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a schedule compute what its collective promises? Run by the loopback executor, with data
// that tell of each item in the end which ranks' chunks it is the sum of.
#pragma once

#include <optional>
#include <string>

#include "algorithms/schedules/schedule.hpp"

namespace ringscope::schedules {

/// Description of an error, and the step to look at.
struct Flaw {
  std::string text;
  std::optional<StepId> step;
};

/// Nothing where every run is right: with sends that wait for their receives and with sends that do
/// not, blocks in several orders. Requires a schedule whose order is sound (order.hpp).
std::optional<Flaw> flaw_of(const Schedule& schedule);

}  // namespace ringscope::schedules
