// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of what is not simulated again: is the report that of a full simulation?
#pragma once

#include <array>
#include <map>
#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope {

/// The fluid kernel can be used more than once in a process.
inline Report with_fluid(const Scenario& scenario, bool skip, int fold_from = fewest_folded_ranks) {
  RunOptions options;
  options.kernel = "fluid";
  options.fold_from = fold_from;
  options.skip = skip;
  return simulate(scenario, options);
}

inline void expect_near(double got, double expected, double whole, const std::string& what) {
  EXPECT_NEAR(got, expected, 1e-9 * whole) << what;
}

inline void expect_same(const Report& skipped, const Report& whole) {
  const double time = whole.time_s;
  expect_near(skipped.time_s, time, time, "time");
  EXPECT_EQ(skipped.messages, whole.messages);
  EXPECT_EQ(skipped.bytes_on_wire, whole.bytes_on_wire);
  EXPECT_EQ(skipped.bytes_between_hosts, whole.bytes_between_hosts);
  for (std::size_t r = 0; r < whole.rank_reports.size(); ++r) {
    const RankReport &a = skipped.rank_reports[r], &b = whole.rank_reports[r];
    const std::string rank = "rank " + std::to_string(r);
    expect_near(a.finish_s, b.finish_s, time, rank);
    for (std::size_t i = 0; i < b.seconds.size(); ++i)
      expect_near(a.seconds[i], b.seconds[i], time, rank + std::string(activity_names[i]));
    for (std::size_t i = 0; i < b.waited_for.size(); ++i)
      expect_near(a.waited_for[i], b.waited_for[i], time, rank + std::string(cause_names[i]));
  }
  for (std::size_t i = 0; i < whole.phases.size(); ++i) {
    expect_near(skipped.phases[i].start_s, whole.phases[i].start_s, time, whole.phases[i].name);
    expect_near(skipped.phases[i].end_s, whole.phases[i].end_s, time, whole.phases[i].name);
  }
  std::map<ResourceId, double> used;
  for (const ResourceReport& resource : whole.resources) used[resource.id] = resource.utilisation;
  for (const ResourceReport& resource : skipped.resources) {
    if (!used.contains(resource.id)) continue;  // of ten among equals
    EXPECT_NEAR(resource.utilisation, used[resource.id], 1e-9) << resource.id.name();
  }
  double on_path = 0;
  for (const PathSegment& segment : skipped.path) on_path += segment.seconds;
  expect_near(on_path, time, time, "critical path");
  ASSERT_EQ(skipped.training.has_value(), whole.training.has_value());
  if (!whole.training) return;
  expect_near(skipped.training->step_s, whole.training->step_s, time, "step");
  expect_near(skipped.training->busy_s, whole.training->busy_s, time, "busy");
  expect_near(skipped.training->exposed_s, whole.training->exposed_s, time, "exposed");
  ASSERT_EQ(skipped.training->groups.size(), whole.training->groups.size());
  for (std::size_t i = 0; i < whole.training->groups.size(); ++i)
    expect_near(skipped.training->groups[i].partner_s, whole.training->groups[i].partner_s, time,
                "waiting in groups");
}

}  // namespace ringscope
