// SPDX-License-Identifier: LGPL-2.1-or-later
// Does `export` write what it says, and refuse what GOAL cannot say?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program_for_test.hpp"

namespace ringscope::export_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Ended ringscope(const std::string& arguments) { return ended(built_program() + " " + arguments); }

// A rank of a ring of two sends and receives 2(P-1) = 2 times, and sums P-1 = 1 time.
TEST(Export, writes_goal_that_says_who_waits_for_what) {
  const auto [code, text] = ringscope(
      "export 01-two-hosts --set placement=1-1 --set library=ideal "
      "--set library.reduce_cost='1 ns/B' "
      "--set job='{collective: allreduce, algorithm: ring, bytes: 2 kB}' --goal -");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(text, StartsWith("// 01-two-hosts"));
  EXPECT_THAT(text, HasSubstr("num_ranks 2\n\nrank 0 {\n"));
  EXPECT_THAT(text, HasSubstr("l3: calc 1000\nl3 requires l1\nl3 requires l2\n"));
  EXPECT_THAT(text, HasSubstr("b to 0 tag 0\n"));
}

TEST(Export, writes_one_case_at_a_time) {
  EXPECT_EQ(ringscope("export 03-anomaly --goal - 2>&1").text,
            "03-anomaly has 2 cases, and a file holds one: --case '03-anomaly 4-2-2', for "
            "example\n");
  EXPECT_EQ(ringscope("export 03-anomaly --case '03-anomaly 4-2-2' --goal /dev/null").code, 0);
  const auto [code, text] = ringscope("export 03-anomaly --case 4-2-2 --goal - 2>&1");
  EXPECT_EQ(code, 1);
  EXPECT_THAT(text, StartsWith("--case:1:1: unknown case '4-2-2'"));
}

TEST(Export, refuses_programs_that_no_graph_says) {
  const auto [code, text] =
      ringscope("export 02-ring-of-8 --set job.algorithm=ring_two_threads --goal - 2>&1");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(text,
            "02-ring-of-8: a graph of messages cannot say it: the program has threads or "
            "non-blocking collectives\n");
  EXPECT_THAT(ringscope("export 02-ring-of-8 --set job.overlap='1 ms' --goal - 2>&1").text,
              HasSubstr("the job has 'overlap'"));
  EXPECT_EQ(ringscope("export 02-ring-of-8 --goal /nowhere/x.goal 2>&1").code, 1);
}

}  // namespace
}  // namespace ringscope::export_test
