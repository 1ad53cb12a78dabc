// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the text of a training step say what its devices spend time on?
#include "scenarios/answer/text/training_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringscope {
namespace {

using testing::HasSubstr;
using testing::Not;

RankReport device(double compute_s, double reduce_s, GroupReport tensor) {
  RankReport rank;
  rank.seconds[static_cast<std::size_t>(RankActivity::compute)] = compute_s;
  rank.seconds[static_cast<std::size_t>(RankActivity::reduce)] = reduce_s;
  rank.groups = {std::move(tensor)};
  return rank;
}

// Two steps of 10 s: one device computes for 4 s of each and is in calls for 5, 1 of it adding up,
// the other for 6 and 4, 2 of it adding up.
TEST(TrainingText, tells_what_nvidia_smi_would_show) {
  TrainingReport report;
  report.steps = 2;
  report.step_s = 10;
  report.groups = {{"tensor", 4.5, 1}};
  const std::vector<RankReport> ranks = {device(8, 2, {"tensor", 5, 1}),
                                         device(12, 4, {"tensor", 4, 1})};
  EXPECT_THAT(training_text(report, ranks), Not(HasSubstr("nvidia-smi")));
  report.memory = StageMemory();
  EXPECT_THAT(
      training_text(report, ranks),
      HasSubstr("a GPU in use for 65.0 % of a step where copy engines exchange, for 95.0 %\n"
                "  with NCCL"));
}

TEST(TrainingText, names_the_parts_that_add_up_to_the_step) {
  TrainingReport report;
  report.step_s = 10;
  report.busy_s = 4;
  report.exposed = {.tp = 3, .pp = 0.001, .dp = 1};
  report.bubble_s = 2;
  EXPECT_THAT(training_text(report, {}),
              HasSubstr("step = busy + exposed communication (tp, dp) + bubble\n"));
}

}  // namespace
}  // namespace ringscope
