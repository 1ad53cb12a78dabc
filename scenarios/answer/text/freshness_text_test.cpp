// SPDX-License-Identifier: LGPL-2.1-or-later
// Do stale weights and empty pulls come with what they mean?
#include "scenarios/answer/text/table.hpp"

#include <gmock/gmock.h>

#include "scenarios/answer/report_samples_for_test.hpp"

namespace ringscope::freshness_test {
namespace {

using testing::HasSubstr;

Observation seen(const std::string& what, double mean, double most) {
  Observation one;
  one.what = what;
  one.count = 40;
  one.mean = mean;
  one.most = most;
  one.median_interval_s = 0.25;
  return one;
}

Report with(std::vector<Observation> observations) {
  Report report = sample_report();
  report.observations = std::move(observations);
  return report;
}

// With W equal workers W - 1 updates of others come before a push: 1 - 1/W.
TEST(Freshness, staleness_is_told_as_momentum) {
  const std::string text = freshness_text(with({seen("staleness", 3, 4)}));
  EXPECT_THAT(text, HasSubstr("3 updates of others"));
  EXPECT_THAT(text, HasSubstr("momentum of about 0.75"));
  EXPECT_EQ(freshness_text(with({seen("staleness", 0, 0)})), "");
}

TEST(Freshness, pulls_without_a_step_are_counted) {
  Observation pull = seen("pull", 0.5, 1);
  pull.values = {{0, 20}, {1, 20}};
  EXPECT_THAT(freshness_text(with({pull})), HasSubstr("20 of 40 pulls follow no step"));
  EXPECT_THAT(freshness_text(with({seen("pull", 6.7, 7)})), HasSubstr("makes 6.7 steps"));
}

TEST(Freshness, table_has_steps_beside_the_age_of_weights) {
  const std::vector<std::string> names = {"one", "other"};
  const std::vector<Report> reports = {with({seen("step", 1, 1), seen("pull", 2, 2)}),
                                       with({seen("step", 1, 1), seen("staleness", 3, 5)})};
  EXPECT_EQ(freshness_table(reports, names), R"(
age of the weights  steps/s    pull  steps a pull  staleness  most  momentum
one                      80  250 ms             2          -     -         -
other                    80       -             -          3     5      0.75
staleness: updates of others between a worker's fetch and its push; momentum: what they act like
)");
  const std::vector<Report> fresh = {with({seen("step", 1, 1), seen("staleness", 0, 0)})};
  EXPECT_EQ(freshness_table(fresh, names), "");
}

}  // namespace
}  // namespace ringscope::freshness_test
