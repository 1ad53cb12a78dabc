// SPDX-License-Identifier: LGPL-2.1-or-later
// The job of a scenario as messages and calculations, for other simulators.
#pragma once

#include "algorithms/traces/recording.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope {

/// One repetition without skew, noise and neighbours. A reduction or a copy is a calculation of
/// what the library says it costs, in whole nanoseconds. Throws InputError where the job's program
/// is none that a graph can say.
traces::Trace messages_of(const Scenario& scenario,
                          traces::Unordered unordered = traces::Unordered::none);

}  // namespace ringscope
