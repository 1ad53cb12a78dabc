// SPDX-License-Identifier: LGPL-2.1-or-later
// Does an all-to-all of sizes that differ take as long as the busiest port carries?
#include <cmath>

#include "sim/tests/star_for_test.hpp"

namespace ringscope::alltoallv_test {
namespace {

class AlltoallvTime : public SimulationTest {};

constexpr int ranks = 8;
constexpr double vector = 1.6e7;

Scenario uneven(const std::string& algorithm, const std::string& sizes) {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: {}
  link: {{bandwidth: 10 Gbit/s, latency: 0 s}}
  host: {{type: simple}}
library: {{base: ideal, network: {{eager_limit: 0 B}}}}
placement: 1x{}
job: {{collective: alltoallv, algorithm: {}, bytes: 16 MB, options: {{sizes: {}}}}}
)",
                                 ranks, ranks, algorithm, sizes));
}

// The port of the rank to which most goes takes `imbalance` times its even share, all but its own.
double of_hot(double imbalance) { return (ranks - 1) * imbalance * vector / ranks / bandwidth; }

TEST_F(AlltoallvTime, equal_sizes_take_the_time_of_an_alltoall) {
  for (const std::string algorithm : {"pairwise", "posted", "channel_peers"})
    expect_seconds(run_again(uneven(algorithm, "even")).time_s, of_hot(1));
}

TEST_F(AlltoallvTime, grows_with_the_load_of_the_busiest_rank) {
  for (const std::string algorithm : {"pairwise", "posted"})
    for (const int imbalance : {2, 4})
      for (const int seed : {1, 2, 3})
        expect_seconds(run_again(uneven(algorithm, fmt::format("{{imbalance: {}, seed: {}}}",
                                                               imbalance, seed)))
                           .time_s,
                       of_hot(imbalance));
}

TEST_F(AlltoallvTime, two_hot_ranks_take_the_time_of_one) {
  expect_seconds(run(uneven("posted", "{imbalance: 3, hot: 2}")).time_s, of_hot(3));
}

TEST_F(AlltoallvTime, by_zipfs_law_is_that_of_its_first_rank) {
  expect_seconds(run(uneven("posted", "{imbalance: 2.5, shape: zipf}")).time_s, of_hot(2.5));
}

// All send to rank 0 what it sends to nobody: its port takes 7 vectors.
TEST_F(AlltoallvTime, matrix_takes_the_time_of_its_largest_column) {
  std::string rows;
  for (int rank = 0; rank < ranks; ++rank)
    rows += fmt::format("{}[{}, 0, 0, 0, 0, 0, 0, 0]", rank == 0 ? "" : ", ", rank == 0 ? 0 : 5);
  const Report report = run(uneven("posted", "{matrix: [" + rows + "]}"));
  expect_seconds(report.time_s, 7 * vector / bandwidth);
  EXPECT_EQ(report.messages, 7U);
}

}  // namespace
}  // namespace ringscope::alltoallv_test
