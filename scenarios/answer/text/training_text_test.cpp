// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the text of a training step say what its devices spend time on?
#include "scenarios/answer/text/report_text.hpp"

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

TEST(TrainingText, gives_the_time_of_an_epoch_and_of_all) {
  TrainingReport report;
  report.step_s = 1;
  EXPECT_THAT(training_text(report, {}), Not(HasSubstr("epoch takes")));
  report.epoch_s = 46.3;
  EXPECT_THAT(training_text(report, {}), HasSubstr("  At this pace an epoch takes 46.3 s\n"));
  report.all_epochs = 90;
  report.training_s = 90 * 46.3;
  EXPECT_THAT(training_text(report, {}), HasSubstr("takes 46.3 s; 90 epochs: 69.5 min\n"));
  EXPECT_EQ(duration_text(3 * 3600), "3.0 h");
  EXPECT_EQ(duration_text(3 * 86400), "3.0 days");
}

TEST(TrainingText, advises_a_shorter_cycle_where_gradients_wait_for_it) {
  Report report;
  report.algorithm = "horovod";
  report.time_s = 10;
  report.path = {{.cause = Cause::sleep, .resource = {}, .seconds = 8},
                 {.cause = Cause::compute, .resource = {}, .seconds = 2}};
  EXPECT_THAT(cycle_text(report), HasSubstr("80 % of the critical path: lower 'cycle'"));
  report.path.front().seconds = 0.4;
  EXPECT_EQ(cycle_text(report), "");
  report.path.front().seconds = 8;
  report.algorithm = "ddp";
  EXPECT_EQ(cycle_text(report), "");
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
