// SPDX-License-Identifier: LGPL-2.1-or-later
// Does an explanation name buffers that are pinned for each message, and what would help?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/simulation.hpp"

namespace ringscope {
namespace {

Report with_chain(const Scenario& scenario) {
  RunOptions options;
  options.kernel = "fluid";
  options.record_chain = true;
  return simulate(scenario, options);
}

// 14 steps of a ring; in each a rank pins a buffer for its send and one for its receive.
TEST(ExplainPinning, names_it_and_finds_half_of_it_as_gain) {
  constexpr double pinned = 14 * 2 * 1e-3;
  const Scenario scenario = read_scenarios(
      "02-ring-of-8", {parse_override("library={base: rdma, network: {registration: 1 ms}}"),
                       parse_override("job.bytes=1MiB")})[0];
  const Report report = with_chain(scenario);
  EXPECT_THAT(reason(report), testing::HasSubstr("a core pins the buffers of each large message"));
  const std::vector<Candidate> list = candidates(report, 8);
  const auto overhead = std::ranges::find(list, Candidate::Kind::overhead, &Candidate::kind);
  ASSERT_NE(overhead, list.end());
  EXPECT_NEAR(overhead->on_path_s, pinned, 0.01 * pinned);
  const double gain = report.time_s - with_chain(improved(scenario, *overhead)).time_s;
  EXPECT_NEAR(gain, pinned / 2, 0.01 * pinned);
}

}  // namespace
}  // namespace ringscope
