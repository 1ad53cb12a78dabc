// SPDX-License-Identifier: LGPL-2.1-or-later
// Are vectors cut by pair as their weights say, and do messages go by that?
#include "algorithms/alltoall/pair_sizes.hpp"

#include <gtest/gtest.h>

#include "algorithms/catalogue_cases_for_test.hpp"

namespace ringscope {
namespace {

constexpr Range vector = {Buffer::data, 5, 1200};

TEST(PairSizes, are_in_proportion_to_the_weights) {
  const PairSizes sizes(std::vector<double>{1, 2, 3});
  EXPECT_TRUE(sizes.all_cut_alike());
  for (const int from : {0, 1, 2}) {
    EXPECT_EQ(sizes.chunk(from, 0, vector), (Range{Buffer::data, 5, 200}));
    EXPECT_EQ(sizes.chunk(from, 1, vector), (Range{Buffer::data, 205, 400}));
    EXPECT_EQ(sizes.chunk(from, 2, vector), (Range{Buffer::data, 605, 600}));
  }
}

TEST(PairSizes, matrix_fills_the_buffer_of_the_largest_sender) {
  const PairSizes sizes(std::vector<std::vector<double>>{{0, 30, 0}, {10, 20, 30}, {0, 0, 0}});
  EXPECT_FALSE(sizes.all_cut_alike());
  EXPECT_EQ(sizes.chunk(1, 0, vector).size, 200U);
  EXPECT_EQ(sizes.chunk(1, 2, vector).size, 600U);
  EXPECT_EQ(sizes.chunk(0, 1, vector), (Range{Buffer::data, 5, 600}));
  for (const int to : {0, 1, 2}) EXPECT_EQ(sizes.chunk(2, to, vector).size, 0U);
}

TEST(PairSizes, lose_no_item_whatever_the_size) {
  for (const int ranks : {1, 2, 7, 64})
    for (const std::size_t items : {0U, 1U, 5U, 63U, 1000U})
      for (int from = 0; from < ranks; ++from) {
        const PairSizes& hot = *pair_sizes_for_test(ranks)[0];
        std::size_t end = 0;
        for (int to = 0; to < ranks; ++to) {
          const Range chunk = hot.chunk(from, to, {.size = items});
          EXPECT_EQ(chunk.offset, end);
          end += chunk.size;
        }
        EXPECT_EQ(end, items);
      }
}

// One rank of P gets 5 of P + 4 parts from each.
TEST(PairSizes, make_the_busiest_port_carry_what_its_weight_says) {
  const int ranks = 8;
  const Options hot = {.sizes = pair_sizes_for_test(ranks)[0]};
  EXPECT_EQ(pieces_by_pair_items(ranks, 120, hot), 8U * 50);
  EXPECT_EQ(pieces_by_pair_items(ranks, 120, {}), 8U * 15);
  const Cost cost = pairs_by_size_cost(ranks, 120, hot, true);
  EXPECT_EQ(cost.items, 7U * 120);
}

TEST(PairSizes, posted_omits_zero_sizes_and_pairwise_sends_them) {
  const Options one = {.sizes = pair_sizes_for_test(6)[2]};
  EXPECT_EQ(find_algorithm("alltoallv", "posted")->cost(6, 10, one), (Cost{1, 1, 10}));
  EXPECT_EQ(find_algorithm("alltoallv", "pairwise")->cost(6, 10, one), (Cost{5, 6 * 5, 10}));
}

}  // namespace
}  // namespace ringscope
