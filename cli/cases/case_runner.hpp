// SPDX-License-Identifier: LGPL-2.1-or-later
// Many cases at once, in processes beside this one.
//
// A forked child simulates one case after another, and sends each report back through a socket: to
// fork for each would copy touched memory again and again. After a failure, much memory, or a run
// of SimGrid's engine, which can exist once in a process, the next case has a new child. A child
// that throws or dies takes no other case with it.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "cli/terminal/failure.hpp"
#include "sim/session/session.hpp"

namespace ringscope {

inline constexpr Seconds no_limit{std::numeric_limits<double>::infinity()};

using Simulate = std::function<Report(const Case&, const RunOptions&)>;

/// Cases whose cost nobody asked for.
std::vector<Case> cases_of(std::span<const Scenario> scenarios);

std::size_t cases_at_once();

/// As many children at a time as cases_at_once(); the reports stand in the order of the cases.
/// After ^C those that had ended. `options.progress` is called in this process with the share of
/// all cases that is done. A case that takes longer than `limit` is ended, and fails as bad input.
/// Throws the Failure of the first case that failed, when all have ended: what the simulator
/// reported, or the name of a case whose process died.
SomeReports run_some_cases(std::span<const Case> cases, const RunOptions& options,
                           const Simulate& one = simulate_case, Seconds limit = no_limit);

/// Likewise. Throws Failure (interrupted) where one has not ended.
std::vector<Report> run_cases(std::span<const Scenario> scenarios, const RunOptions& options,
                              const Simulate& one = simulate_case, Seconds limit = no_limit);

}  // namespace ringscope
