// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the order of two runs open where their intervals overlap and their errors differ, and only
// there?
#include "scenarios/answer/report.hpp"

#include <gtest/gtest.h>

#include "scenarios/answer/report_samples_for_test.hpp"

namespace ringscope {
namespace {

/// NCCL's choice on a machine, and when 90 % of such machines are done.
Report kernels(const std::string& chosen, double low_s, double high_s,
               const std::string& cluster = "a") {
  Report report = sample_report();
  report.library = "nccl_h100";
  report.chosen = chosen;
  report.likely = {low_s, high_s};
  report.cluster = cluster;
  report.resolved = Value::from_text("test", "{job: {options: {}}}");
  return report;
}

TEST(OpenOrder, intervals_apart_decide) {
  EXPECT_EQ(open_order(kernels("rings", 1, 2), kernels("trees", 2.5, 3)), "");
  EXPECT_EQ(open_order(kernels("trees", 2.5, 3), kernels("rings", 1, 2)), "");
}

TEST(OpenOrder, overlapping_intervals_leave_it_open_where_errors_differ) {
  const Report one = kernels("rings, LL", 1, 2);
  EXPECT_EQ(open_order(one, kernels("rings, LL128", 1.5, 3)), "algorithm, protocol or channels");
  EXPECT_EQ(open_order(kernels("rings, LL128", 1.5, 3), one), "algorithm, protocol or channels");
  EXPECT_EQ(open_order(one, kernels("rings, LL", 1.5, 3, "b")), "machine");
  Report inside = kernels("rings, LL", 1.5, 3), efa = kernels("rings, LL", 1.5, 3);
  inside.bytes_between_hosts = 0;
  EXPECT_EQ(open_order(one, inside), "network");
  efa.library = "nccl_h100 over efa_p5";
  EXPECT_EQ(open_order(one, efa), "library");
}

TEST(OpenOrder, an_error_that_both_share_keeps_it) {
  EXPECT_EQ(open_order(kernels("rings, LL", 1, 2), kernels("rings, LL", 1.5, 3)), "");
  EXPECT_EQ(open_order(kernels("rings, LL", 1, 2), kernels("rings, LL", 1.5, 3, "a*")), "");
}

TEST(OpenOrder, of_algorithms_that_choose_nothing_goes_by_their_options) {
  const Report one = kernels("", 1, 2);
  Report other = kernels("", 1.5, 3);
  EXPECT_EQ(open_order(one, other), "");
  other.resolved.set("job.options", Value::from_text("test", "{channels: 2}"));
  EXPECT_EQ(open_order(one, other), "algorithm, protocol or channels");
}

TEST(OpenOrder, a_time_without_an_interval_counts_as_itself) {
  Report messages = kernels("", 0, 0);
  messages.likely.reset();
  messages.time_s = 1.5;
  EXPECT_EQ(open_order(kernels("rings", 1, 2), messages), "algorithm, protocol or channels");
  messages.time_s = 2.5;
  EXPECT_EQ(open_order(kernels("rings", 1, 2), messages), "");
  EXPECT_EQ(open_order(messages, sample_report()), "");
}

}  // namespace
}  // namespace ringscope
