// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the largest difference between two kernels found, wherever it stands?
#include "cli/cases/cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/answer/report_samples_for_test.hpp"

namespace ringscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

KernelDifference difference(const Report& fluid, const Report& simgrid) {
  return kernel_difference(std::span(&fluid, 1), std::span(&simgrid, 1));
}

TEST(BothKernels, agree_to_the_last_digit_on_equal_reports_whatever_the_simulation_took) {
  Report other = full_report();
  other.kernel = "simgrid";
  other.wall_s = 7;
  other.skipped_s = 0;
  other.skipped_messages = 0;
  const KernelDifference same = difference(full_report(), other);
  EXPECT_EQ(same.share, 0);
  EXPECT_FALSE(same.is_defect());
  // time_s and times_s; 2 ranks with finish_s, 7 activities and 3 causes in all; 2 phases with 2
  // ends; 3 segments of the path; 2 intervals; 17 times of the training; 2 of the neighbour and 2
  // of all; 2 of a group in each rank and in the training; mean, least and most of what streams
  // spend on 3 things; 4 of the host.
  EXPECT_EQ(same.times, 2u + 2 * 8 + 3 + 4 + 3 + 2 + 17 + 4 + 3 * 2 + 3 * 3 + 4);
  EXPECT_EQ(same.text(), "fluid and simgrid agree to the last digit: 70 times of 1 case");
}

TEST(BothKernels, differ_where_any_time_does_and_the_largest_is_named) {
  Report other = sample_report();
  other.rank_reports[1].finish_s += 1e-12;
  KernelDifference most = difference(sample_report(), other);
  EXPECT_FALSE(most.is_defect());
  EXPECT_NEAR(most.share, 1e-12 / 0.5, 1e-16);
  EXPECT_EQ(most.what, "ranks/1/finish_s");
  EXPECT_THAT(most.text(), StartsWith("fluid and simgrid agree: "));
  EXPECT_THAT(most.text(), HasSubstr("2.0e-12 of the case's time at most (lesson 4-2-2: ranks/1"));

  other.phases[0].end_s += 1e-6;
  most = difference(sample_report(), other);
  EXPECT_TRUE(most.is_defect());
  EXPECT_EQ(most.what, "phases/0/end_s");
  EXPECT_EQ(most.fluid_s, 0.25);
  EXPECT_EQ(most.simgrid_s, 0.25 + 1e-6);
  EXPECT_THAT(most.text(), HasSubstr("phases/0/end_s: 0.25 s on fluid, 0.250001 s on simgrid"));

  other.path[2].cause = Cause::lock;
  most = difference(sample_report(), other);
  EXPECT_EQ(most.share, 0.0625 / 0.5);
  EXPECT_THAT(most.what, StartsWith("critical path, "));
}

TEST(BothKernels, differ_where_one_alone_is_stuck_and_in_the_worst_of_several_cases) {
  const std::vector<Report> fluid = {sample_report(), report_with_spans(), slower_report()};
  std::vector<Report> simgrid = fluid;
  simgrid[1].deadlock = stuck_report().deadlock;
  simgrid[2].time_s += 1e-3;
  const KernelDifference most = kernel_difference(fluid, simgrid);
  EXPECT_TRUE(most.is_defect());
  EXPECT_EQ(most.what, "deadlock on simgrid alone");
  EXPECT_EQ(most.name, fluid[1].name);
  EXPECT_EQ(most.cases, 3u);
}

}  // namespace
}  // namespace ringscope
