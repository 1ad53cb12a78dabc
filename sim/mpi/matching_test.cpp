// SPDX-License-Identifier: LGPL-2.1-or-later
// Do messages and receives meet as MPI demands: in order per source, first posted first?
#include "sim/mpi/matching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "algorithms/verbs/communicator.hpp"

namespace ringscope::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int none = -1;
constexpr int alice = 0, bob = 5;
constexpr int tag = 0, other_tag = 9;

std::vector<int> arrive(Matching& matching, int message, int source, std::uint64_t sequence) {
  std::vector<int> visible;
  matching.arrive(message, source, sequence, visible);
  return visible;
}

TEST(Matching, each_of_a_thousand_takes_the_first_that_fits) {
  std::mt19937 random(3);
  Matching matching;
  std::vector<std::array<int, 3>> kept;  // id, source, tag
  for (int id = 0; id < 1000; ++id) {
    kept.push_back({id, static_cast<int>(random() % 7), static_cast<int>(random() % 3)});
    matching.keep_message(id, kept.back()[1], kept.back()[2]);
  }
  for (int i = 0; i < 2000; ++i) {
    const int source = random() % 4 == 0 ? any_source : static_cast<int>(random() % 7);
    const int wanted = static_cast<int>(random() % 3);
    const auto first = std::find_if(kept.begin(), kept.end(), [&](const auto& one) {
      return (source == any_source || one[1] == source) && one[2] == wanted;
    });
    ASSERT_EQ(matching.match_receive(source, wanted), first == kept.end() ? none : (*first)[0]);
    if (first != kept.end()) kept.erase(first);
  }
  EXPECT_LT(kept.size(), 100u);
}

TEST(Arrival, messages_in_order_are_visible_at_once) {
  Matching matching;
  EXPECT_THAT(arrive(matching, 10, alice, 0), ElementsAre(10));
  EXPECT_THAT(arrive(matching, 11, alice, 1), ElementsAre(11));
}

TEST(Arrival, an_early_message_waits_for_those_before_it) {
  Matching matching;
  EXPECT_THAT(arrive(matching, 12, alice, 2), IsEmpty());
  EXPECT_THAT(arrive(matching, 11, alice, 1), IsEmpty());
  EXPECT_THAT(arrive(matching, 10, alice, 0), ElementsAre(10, 11, 12));
  EXPECT_THAT(arrive(matching, 14, alice, 4), IsEmpty());
  EXPECT_THAT(arrive(matching, 13, alice, 3), ElementsAre(13, 14));
}

TEST(Arrival, sources_do_not_wait_for_each_other) {
  Matching matching;
  EXPECT_THAT(arrive(matching, 11, alice, 1), IsEmpty());
  EXPECT_THAT(arrive(matching, 20, bob, 0), ElementsAre(20));
  EXPECT_THAT(arrive(matching, 10, alice, 0), ElementsAre(10, 11));
}

TEST(Arrival, appends_to_what_is_visible_already) {
  Matching matching;
  std::vector<int> visible = {7};
  matching.arrive(10, alice, 0, visible);
  EXPECT_THAT(visible, ElementsAre(7, 10));
}

TEST(Arrival, any_order_becomes_the_order_of_sending) {
  constexpr unsigned seed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::vector<int> sent(50), order;
  std::iota(sent.begin(), sent.end(), 0);
  for (int round = 0; round < 100; ++round) {
    Matching matching;
    order = sent;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<int> visible;
    for (const int message : order)
      matching.arrive(message, alice, static_cast<std::uint64_t>(message), visible);
    EXPECT_EQ(visible, sent);
  }
}

TEST(Matching, nothing_matches_nothing) {
  Matching matching;
  EXPECT_EQ(matching.match_message(alice, tag), none);
  EXPECT_EQ(matching.match_receive(alice, tag), none);
  EXPECT_EQ(matching.match_receive(any_source, tag), none);
}

TEST(Matching, a_receive_serves_one_message) {
  Matching matching;
  matching.post_receive(1, alice, tag);
  EXPECT_EQ(matching.match_message(alice, tag), 1);
  EXPECT_EQ(matching.match_message(alice, tag), none);
}

TEST(Matching, a_kept_message_serves_one_receive) {
  Matching matching;
  matching.keep_message(1, alice, tag);
  EXPECT_EQ(matching.match_receive(alice, tag), 1);
  EXPECT_EQ(matching.match_receive(alice, tag), none);
}

TEST(Matching, the_first_posted_receive_goes_first) {
  Matching matching;
  for (const int request : {3, 1, 2}) matching.post_receive(request, alice, tag);
  for (const int request : {3, 1, 2}) EXPECT_EQ(matching.match_message(alice, tag), request);
}

TEST(Matching, the_first_kept_message_goes_first) {
  Matching matching;
  for (const int message : {3, 1, 2}) matching.keep_message(message, alice, tag);
  for (const int message : {3, 1, 2}) EXPECT_EQ(matching.match_receive(alice, tag), message);
}

TEST(Matching, another_source_or_tag_is_passed_over) {
  Matching matching;
  matching.post_receive(1, bob, tag);
  matching.post_receive(2, alice, other_tag);
  EXPECT_EQ(matching.match_message(alice, tag), none);
  matching.post_receive(3, alice, tag);
  EXPECT_EQ(matching.match_message(alice, tag), 3);
  EXPECT_EQ(matching.match_message(alice, other_tag), 2);
  EXPECT_EQ(matching.match_message(bob, tag), 1);

  matching.keep_message(1, bob, tag);
  matching.keep_message(2, alice, other_tag);
  EXPECT_EQ(matching.match_receive(alice, tag), none);
  EXPECT_EQ(matching.match_receive(alice, other_tag), 2);
  EXPECT_EQ(matching.match_receive(bob, tag), 1);
}

TEST(Matching, a_wildcard_takes_the_first_to_arrive_of_its_tag) {
  Matching matching;
  matching.keep_message(1, alice, other_tag);
  matching.keep_message(2, bob, tag);
  matching.keep_message(3, alice, tag);
  EXPECT_EQ(matching.match_receive(any_source, tag), 2);
  EXPECT_EQ(matching.match_receive(any_source, tag), 3);
  EXPECT_EQ(matching.match_receive(any_source, tag), none);
}

TEST(Matching, a_posted_wildcard_keeps_its_place_among_the_others) {
  Matching matching;
  matching.post_receive(1, alice, tag);
  matching.post_receive(2, any_source, tag);
  matching.post_receive(3, bob, tag);
  EXPECT_EQ(matching.match_message(bob, tag), 2);
  EXPECT_EQ(matching.match_message(bob, tag), 3);
  EXPECT_EQ(matching.match_message(bob, tag), none);
  EXPECT_EQ(matching.match_message(alice, tag), 1);
}

}  // namespace
}  // namespace ringscope::sim
