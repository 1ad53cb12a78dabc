// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of messages against simulations: the least is never above them.
#include "sim/studies/messages/message_times.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/studies/search/place_study_for_test.hpp"

namespace ringscope::message_times_test {
namespace {

const std::string racks =
    "{network: two_level, racks: 2, hosts_per_rack: 2, link: {bandwidth: 1 GB/s, latency: 1 us}, "
    "uplink: {bandwidth: 0.5 GB/s}, host: {type: numa, cores: 2, sockets: 2, memory_bandwidth: "
    "4 GB/s, socket_link: {bandwidth: 2 GB/s, latency: 100 ns}}}";
const std::string fat_tree =
    "{network: fat_tree, k: 4, hosts: 6, link: {bandwidth: 1 GB/s, latency: 1 us}, "
    "host: {type: simple, cores: 2}}";

std::string scenario(const std::string& cluster, const std::string& library,
                     const std::string& job) {
  return "scenario:\n  question: which?\n  cluster: " + cluster + "\n  library: " + library +
         "\n  placement: 2-1-1\n  job: " + job + "\nplace: {order: fixed, budget: 400}\n";
}

/// Cluster, library, job.
using Case = std::tuple<std::string, std::string, std::string>;
class MessageTimes : public testing::TestWithParam<Case> {};

/// The likely best tenth of the placements, which a search looks at first, takes less on average
/// than all do, where a route is the only one: by chance it would take as long.
TEST_P(MessageTimes, never_exceed_the_simulated_time_and_rank_good_ones_first) {
  const auto& [cluster, library, job] = GetParam();
  const PlaceStudy study = study_of(scenario(cluster, library, job));
  const PlaceAnswer answer = answer_of(study);
  std::vector<std::pair<double, double>> likely_and_cost;
  for (const Placed& placed : answer.placed) {
    const auto times = message_times(placed_scenario(study, placed), answer.only_routes);
    ASSERT_TRUE(times.has_value());
    EXPECT_LE(times->least_s, placed.cost_s * (1 + 1e-9)) << placed.placement.text;
    likely_and_cost.emplace_back(times->likely_s, placed.cost_s);
  }
  if (!answer.only_routes) return;
  std::ranges::sort(likely_and_cost);
  const std::size_t tenth = likely_and_cost.size() / 10;
  double first = 0, others = 0;
  for (std::size_t i = 0; i < likely_and_cost.size(); ++i)
    (i < tenth ? first : others) += likely_and_cost[i].second;
  EXPECT_LE(first / static_cast<double>(tenth),
            (first + others) / static_cast<double>(likely_and_cost.size()) * (1 + 1e-9));
}

INSTANTIATE_TEST_SUITE_P(
    OnSmallMachines, MessageTimes,
    testing::Combine(
        testing::Values(racks, fat_tree), testing::Values("rdma", "openmpi_tcp", "offload"),
        testing::Values("{collective: allreduce, algorithm: ring, bytes: 1 MiB}",
                        "{collective: allreduce, algorithm: rabenseifner, bytes: 1 MiB}",
                        "{collective: allreduce, algorithm: double_binary_tree, bytes: 1 MiB}",
                        "{collective: allreduce, algorithm: two_level, bytes: 16 KiB}",
                        "{collective: alltoall, algorithm: posted, bytes: 1 MiB}",
                        "{collective: broadcast, algorithm: chain, bytes: 1 MiB}",
                        "{collective: parameter_server, algorithm: synchronous, bytes: 1 MiB}")));

TEST(MessageTimesOfARing, AreThoseOfItsClosedFormOnAnIdealLibrary) {
  const PlaceStudy study = study_of(
      "scenario:\n  question: which?\n  cluster: star8\n  library: ideal\n  placement: "
      "1x8\n  job: {collective: allreduce, algorithm: ring, bytes: 8 MiB}\n");
  const double simulated = answer_of(study).own.cost_s;
  const auto times = message_times(study.scenario, true);
  ASSERT_TRUE(times.has_value());
  EXPECT_NEAR(times->least_s, simulated, 1e-9 * simulated);
  EXPECT_NEAR(times->likely_s, simulated, 1e-9 * simulated);
}

}  // namespace
}  // namespace ringscope::message_times_test
