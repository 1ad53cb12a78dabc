// SPDX-License-Identifier: LGPL-2.1-or-later
// Do pipelines take the time of the published formulas?
#include "sim/estimate/llm_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringscope {
namespace {

Pipeline equal(int stages, int parts, int micro_batches, PipelineSchedule schedule,
               double message = 0) {
  Pipeline pipeline{stages, parts, micro_batches, schedule, {}, {}, Table<double>(stages, message)};
  for (int stage = 0; stage < stages; ++stage) {
    pipeline.forward.push_back(Table<double>(parts, 1.0 / parts));
    pipeline.backward.push_back(Table<double>(parts, 2.0 / parts));
  }
  return pipeline;
}

double step_of(const Pipeline& pipeline) {
  double most = 0;
  for (const StageTimes& stage : pipeline_times(pipeline)) most = std::max(most, stage.end);
  return most;
}

// Narayanan et al., SC 2021, section 2.2: (m + p - 1) (f + b), interleaved (m + (p - 1)/v) (f + b).
TEST(PipelineTimes, have_the_bubble_of_their_schedule) {
  for (const int stages : {1, 2, 4, 8})
    for (const int times : {1, 2, 5}) {
      const int micro_batches = stages * times;
      const double plain = 3.0 * (micro_batches + stages - 1);
      EXPECT_NEAR(step_of(equal(stages, 1, micro_batches, PipelineSchedule::gpipe)), plain, 1e-9);
      EXPECT_NEAR(step_of(equal(stages, 1, micro_batches, PipelineSchedule::one_f_one_b)), plain,
                  1e-9);
      for (const int parts : {2, 4})
        if (stages > 1) {
          const double shorter = 3.0 * (micro_batches + (stages - 1.0) / parts);
          EXPECT_NEAR(step_of(equal(stages, parts, micro_batches, PipelineSchedule::interleaved)),
                      shorter, 1e-9);
        }
    }
}

TEST(PipelineTimes, one_micro_batch_waits_for_each_message_there_and_back) {
  EXPECT_NEAR(step_of(equal(4, 1, 1, PipelineSchedule::one_f_one_b, 0.5)), 4 * 3 + 6 * 0.5, 1e-9);
}

TEST(PipelineTimes, know_when_a_part_begins_and_ends) {
  const Table<StageTimes> times = pipeline_times(equal(2, 2, 2, PipelineSchedule::interleaved));
  EXPECT_DOUBLE_EQ(times[0].first_start[0], 0);
  EXPECT_DOUBLE_EQ(times[1].first_start[0], 0.5);
  EXPECT_GT(times[0].last_end[0], times[0].last_end[1]);
  EXPECT_DOUBLE_EQ(times[0].last_end[0], times[0].end);
}

}  // namespace
}  // namespace ringscope
