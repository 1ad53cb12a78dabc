// SPDX-License-Identifier: LGPL-2.1-or-later
// Do measurements keep what was measured, and is a wrong result seen?
#include "validation/executors/measurement.hpp"

#include <gtest/gtest.h>

#include "validation/executors/replayed.hpp"

namespace ringscope {
namespace {

TEST(Spread, of_one_sample_is_that_sample) {
  const Spread spread = spread_of({0.25});
  EXPECT_EQ(spread.p10_s, 0.25);
  EXPECT_EQ(spread.median_s, 0.25);
  EXPECT_EQ(spread.p90_s, 0.25);
}

TEST(Spread, lies_between_neighbours_of_the_sorted_samples) {
  const Spread spread = spread_of({5, 1, 4, 2, 3, 0});  // sorted: sample i is i
  EXPECT_DOUBLE_EQ(spread.p10_s, 0.1 * 5);
  EXPECT_DOUBLE_EQ(spread.median_s, 0.5 * 5);
  EXPECT_DOUBLE_EQ(spread.p90_s, 0.9 * 5);
}

TEST(RecordedCommand, keeps_the_last_folder_of_an_absolute_program) {
  const auto recorded = [](std::vector<std::string> texts) {
    std::vector<char*> words;
    for (std::string& text : texts) words.push_back(text.data());
    return recorded_command(words);
  };
  EXPECT_EQ(recorded({"/tmp/clone/build/ringscope-mpi", "probe", "-o", "/tmp/x.json"}),
            "build/ringscope-mpi probe -o /tmp/x.json");
  EXPECT_EQ(recorded({"/ringscope-mpi"}), "ringscope-mpi");
  EXPECT_EQ(recorded({"../build/ringscope-mpi", "probe"}), "../build/ringscope-mpi probe");
  EXPECT_EQ(recorded({"ringscope-mpi", "probe"}), "ringscope-mpi probe");
}

TEST(Provenance, says_what_where_and_when) {
  const Provenance here = provenance_here("ringscope-mpi replay x");
  EXPECT_EQ(here.command, "ringscope-mpi replay x");
  EXPECT_EQ(here.date.size(), std::string("2026-01-01T00:00:00Z").size());
  EXPECT_TRUE(here.kernel.starts_with("Linux "));
}

TEST(Placement, counts_the_ranks_of_each_host_in_the_order_of_their_first_ranks) {
  EXPECT_EQ(placement_text({"b", "b", "a", "b", "c"}), "3-1-1");
  EXPECT_EQ(hosts_count({"b", "b", "a", "b", "c"}), 3);
  EXPECT_EQ(placement_text({"a"}), "1");
}

TEST(Document, has_a_version_a_kind_a_place_and_entries) {
  Provenance where;
  where.hosts = {"a", "b"};
  const auto entry = measurement_json("barrier", {{"ranks", 2}}, {3, 1, 2});
  const auto document = measurement_document("probes", where, {entry});
  EXPECT_EQ(document["schema"], 2);
  EXPECT_EQ(document["kind"], "probes");
  EXPECT_EQ(document["where"]["hosts"].size(), 2);
  EXPECT_EQ(document["where"]["source"], "");
  EXPECT_EQ(document["measurements"][0]["parameters"]["ranks"], 2);
  EXPECT_EQ(document["measurements"][0]["median_s"], 2);
  EXPECT_EQ(document["measurements"][0]["samples_s"].size(), 3);
}

TEST(Check, finds_the_first_item_that_differs) {
  const float expected[] = {1, 2, 3}, wrong[] = {1, 4, 5};
  EXPECT_EQ(first_difference(expected, expected), -1);
  EXPECT_EQ(first_difference(wrong, expected), 1);
  EXPECT_EQ(first_difference(std::span(expected).first(2), expected), 2);
}

TEST(Check, items_differ_per_rank_and_per_index) {
  EXPECT_NE(initial_item(0, 0), initial_item(1, 0));
  EXPECT_NE(initial_item(0, 0), initial_item(0, 1));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_LT(initial_item(3, i), 17);
}

}  // namespace
}  // namespace ringscope
