// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of the simulator: scenarios from YAML text, and ranks that follow a program written in
// the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scenarios/question/scenario_tree.hpp"
#include "sim/simulation.hpp"

namespace ringscope {

/// At most one run on both kernels: SimGrid's engine throws if a process makes a second one.
/// scripts/testing/main.cpp gives each case its process.
using SimulationTest = testing::Test;

inline Scenario scenario_of(const std::string& yaml) {
  return read_tree(Value::from_text("test", "question: does it hold?\n" + yaml), "test").front();
}

/// Program of every rank, as an algorithm of the catalogue would be.
using Text = Task (*)(Communicator, Workspace, Options);

/// Equal to the last digits that doubles and the kernel's units leave.
inline void expect_seconds(double got, double expected) {
  EXPECT_NEAR(got, expected, 1e-9 * expected);
}

/// On fluid, whose times SimGrid has too, which is to skip nothing.
inline Report on_both_kernels(const Scenario& scenario) {
  RunOptions simgrid;
  simgrid.kernel = "simgrid";
  simgrid.skip = false;
  const Report reference = simulate(scenario, simgrid);
  Report report = simulate(scenario, {});
  EXPECT_EQ(report.times_s.size(), reference.times_s.size());
  for (std::size_t i = 0; i < std::min(report.times_s.size(), reference.times_s.size()); ++i)
    expect_seconds(report.times_s[i], reference.times_s[i]);
  return report;
}

inline Report run(const Scenario& scenario) { return on_both_kernels(scenario); }

/// On fluid and on the slow and plain kernel, which skips nothing, any number of times in a
/// process.
inline Report run_again(const Scenario& scenario) {
  RunOptions reference;
  reference.kernel = "reference";
  Report report = simulate(scenario, {});
  const double all = simulate(scenario, reference).time_s;
  if (report.skipped_messages > 0)
    expect_seconds(report.time_s, all);
  else
    EXPECT_EQ(report.time_s, all);
  return report;
}

/// Runs `text` as an exchange of up to `threads` threads per rank, in place of the algorithm.
inline Report run(Scenario scenario, Text text, const Options& options = {}, int threads = 1) {
  Algorithm algorithm = *scenario.job.algorithm;
  algorithm.collective = "exchange";
  algorithm.name = "text";
  algorithm.threads = threads;
  algorithm.run = text;
  algorithm.scratch_items = [](int, std::size_t items, Options) { return items; };
  scenario.job.algorithm = &algorithm;
  scenario.job.options = options;
  return on_both_kernels(scenario);
}

inline double finish(const Report& report, int rank) {
  return report.rank_reports.at(static_cast<std::size_t>(rank)).finish_s;
}

}  // namespace ringscope
