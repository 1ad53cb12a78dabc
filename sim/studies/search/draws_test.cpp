// SPDX-License-Identifier: LGPL-2.1-or-later
// Are the numbers of a profile drawn within their spread, and is the difference of two placements
// that of the same draws? Have both the interval of their library?
#include "sim/studies/search/evaluations.hpp"

#include "sim/studies/search/place_study_for_test.hpp"

namespace ringscope::draws_test {
namespace {

// Two racks of two hosts, whose hosts share one uplink: a ring through both racks by turns sends
// four times over it, one rack after the other twice.
constexpr const char* racks = R"(
scenario:
  question: which?
  cluster:
    network: two_level
    racks: 2
    hosts_per_rack: 2
    oversubscription: 2
    link: {bandwidth: 1 GB/s, latency: 1 us}
    host: {type: simple, cores: 1}
  library: rdma
  placement: [{hosts: "1-0-1-0"}, {hosts: "0-1-0-1"}]
  job: {collective: allreduce, algorithm: ring, bytes: 64 MiB}
place: {order: any, random: 0}
)";

TEST(Draws, library_draws_stay_within_their_spread_and_repeat) {
  const Scenario scenario = study_of(racks).scenario;
  const Library& library = scenario.library;
  double least = 1, most = 1;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Library one = drawn(library, seed);
    const double hop =
        one.transport(Way::network).latency.at(0) / library.transport(Way::network).latency.at(0);
    EXPECT_GE(hop, 1 / 1.3);
    EXPECT_LE(hop, 1.3);
    EXPECT_LE(one.transport(Way::network).goodput, 1);
    EXPECT_EQ(hop, drawn(library, seed).transport(Way::network).latency.at(0) /
                       library.transport(Way::network).latency.at(0));
    least = std::min(least, hop), most = std::max(most, hop);
  }
  EXPECT_LT(least, 0.9);
  EXPECT_GT(most, 1.1);
}

// The uplink decides under each draw, so the share by which one takes longer hardly changes.
TEST(Draws, give_the_difference_of_two_placements_and_not_of_each) {
  const PlaceStudy study = study_of(racks);
  Evaluator evaluator;
  const PlaceAnswer answer = place(study, evaluator);
  ASSERT_GT(answer.own.cost_s, 1.5 * answer.placed.front().cost_s);
  ASSERT_TRUE(answer.difference.has_value());
  EXPECT_EQ(answer.difference->draws, 12);
  const double share = answer.own.cost_s / answer.placed.front().cost_s - 1;
  EXPECT_LE(answer.difference->least, share + 0.05);
  EXPECT_GE(answer.difference->most, share - 0.05);
  EXPECT_GT(answer.difference->least, 0.8 * share);
}

std::string nccl_placed(const std::string& placement) {
  return "scenario:\n  question: which?\n  cluster: h100_nvswitch\n  library: {base: nccl_h100, "
         "spread: "
         "{one_host: [{low: 0.5, high: 2}], several_hosts: [{low: 0.25, high: 4}]}}\n  "
         "placement: " +
         placement + "\n  job: {collective: allreduce, algorithm: nccl, bytes: 1 MiB}\n";
}
const std::string two_hosts = nccl_placed("{hosts: 2-2, on: gpu}");

TEST(Intervals, overlapping_intervals_leave_the_gain_open) {
  const PlaceAnswer answer = answer_of(study_of(two_hosts));
  const Placed &best = answer.placed.front(), &own = answer.own;
  EXPECT_EQ(best.per_host, "4");
  EXPECT_EQ(best.likely->low_s, 0.5 * best.cost_s);
  EXPECT_EQ(own.likely->high_s, 4 * own.cost_s);
  EXPECT_FALSE(answer.placed.back().likely);
  EXPECT_GT(own.cost_s, 1.5 * best.cost_s);
  EXPECT_EQ(answer.open_order, "network");
}

TEST(Intervals, share_their_error_where_both_placements_are_between_hosts) {
  const PlaceAnswer answer =
      answer_of(study_of(nccl_placed("[{host: 0, gpu: 0}, {host: 1, gpu: 0}, {host: 0, gpu: 4}, "
                                     "{host: 1, gpu: 4}]"),
                         "{slots: 2}"));
  EXPECT_GT(answer.own.likely->high_s, answer.placed.front().likely->low_s);
  EXPECT_EQ(answer.open_order, "");
}

TEST(Intervals, are_none_of_a_time_with_a_fault) {
  const PlaceAnswer answer = answer_of(study_of(two_hosts, "{slots: 2, objective: worst_nic}"));
  EXPECT_FALSE(answer.placed.front().likely);
}

}  // namespace
}  // namespace ringscope::draws_test
