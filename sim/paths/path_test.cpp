// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the chain of segments that ends at a cursor cover the time from the start without a gap?
#include "sim/paths/path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

namespace ringscope::sim {

bool operator==(const Paths::Segment& a, const Paths::Segment& b) {
  return a.cause == b.cause && a.rank == b.rank && a.resource == b.resource &&
         a.seconds == b.seconds;
}
std::ostream& operator<<(std::ostream& out, const Paths::Segment& segment) {
  return out << static_cast<int>(segment.cause) << " of rank " << segment.rank << " on "
             << segment.resource << ": " << segment.seconds << " s";
}

namespace {

using Segment = Paths::Segment;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int core = 4, wire = 7;

Paths started_at(double date, std::size_t limit = 100, std::size_t most_bytes = 1 << 20) {
  Paths paths(limit, most_bytes);
  paths.restart(date);
  return paths;
}

PathCursor extended(Paths& paths, PathCursor from, Cause cause, int rank, int resource,
                    double until) {
  paths.extend(from, cause, rank, resource, until);
  return from;
}

double total(const std::vector<Segment>& segments) {
  return std::accumulate(segments.begin(), segments.end(), 0.0,
                         [](double sum, const Segment& segment) { return sum + segment.seconds; });
}

TEST(Paths, the_default_cursor_covers_nothing) { EXPECT_THAT(started_at(3).merged({}), IsEmpty()); }

TEST(Paths, a_chain_adds_up_from_the_start_to_its_end) {
  Paths paths = started_at(8);
  PathCursor cursor = extended(paths, {}, Cause::compute, 0, core, 9);
  paths.extend(cursor, Cause::wire, 0, wire, 13);
  EXPECT_THAT(paths.merged(cursor),
              ElementsAre(Segment{Cause::wire, 0, wire, 4}, Segment{Cause::compute, 0, core, 1}));
  EXPECT_EQ(total(paths.merged(cursor)), 13 - 8);
}

TEST(Paths, no_time_adds_no_segment) {
  Paths paths = started_at(1);
  EXPECT_EQ(extended(paths, {}, Cause::wire, 0, wire, 1), PathCursor{});
  const PathCursor cursor = extended(paths, {}, Cause::wire, 0, wire, 2);
  EXPECT_EQ(extended(paths, cursor, Cause::copy, 0, core, 2), cursor);
  EXPECT_EQ(extended(paths, cursor, Cause::copy, 0, core, 1.5), cursor);
}

TEST(Paths, segments_of_one_cause_rank_and_resource_are_one) {
  Paths paths = started_at(0);
  PathCursor cursor;
  for (int step = 0; step < 4; ++step) {
    paths.extend(cursor, Cause::copy, step % 2, core, 2 * step + 1);
    paths.extend(cursor, Cause::wire, 0, wire, 2 * step + 2);
  }
  EXPECT_THAT(paths.merged(cursor),
              ElementsAre(Segment{Cause::wire, 0, wire, 4}, Segment{Cause::copy, 0, core, 2},
                          Segment{Cause::copy, 1, core, 2}));
}

TEST(Paths, waiter_inherits_the_chain_of_its_partner) {
  Paths paths = started_at(0);
  const PathCursor sender = extended(paths, {}, Cause::compute, 0, core, 5);
  const PathCursor message = extended(paths, sender, Cause::wire, 0, wire, 7);
  const PathCursor receiver = extended(paths, {}, Cause::compute, 1, core, 1);
  const PathCursor reduced = extended(paths, message, Cause::reduce, 1, core, 8);
  EXPECT_THAT(paths.merged(reduced),
              ElementsAre(Segment{Cause::compute, 0, core, 5}, Segment{Cause::wire, 0, wire, 2},
                          Segment{Cause::reduce, 1, core, 1}));
  // The sender's own chain goes on from where it was, also where what it does is the same.
  EXPECT_EQ(total(paths.merged(extended(paths, sender, Cause::compute, 0, core, 6))), 6);
  EXPECT_EQ(total(paths.merged(sender)), 5);
  EXPECT_EQ(total(paths.merged(receiver)), 1);
}

TEST(Paths, a_chain_stands_in_its_order) {
  Paths paths = started_at(8);
  PathCursor cursor = extended(paths, {}, Cause::copy, 0, core, 9);
  paths.extend(cursor, Cause::wire, -1, wire, 12);
  paths.extend(cursor, Cause::copy, 0, core, 14);
  const Paths::Chain chain = paths.chain(cursor);
  EXPECT_EQ(chain.begin, 8);
  EXPECT_THAT(chain.segments,
              ElementsAre(Segment{Cause::copy, 0, core, 1}, Segment{Cause::wire, -1, wire, 3},
                          Segment{Cause::copy, 0, core, 2}));
}

TEST(Paths, a_chain_that_nobody_holds_is_gone) {
  Paths paths = started_at(0);
  {
    PathCursor trunk = extended(paths, {}, Cause::compute, 0, core, 1);
    PathCursor branch = extended(paths, trunk, Cause::wire, 0, wire, 2);
    paths.extend(branch, Cause::copy, 0, core, 3);
    EXPECT_EQ(paths.nodes(), 3);
    branch = trunk;
    EXPECT_EQ(paths.nodes(), 1);
  }
  EXPECT_EQ(paths.nodes(), 0);
}

TEST(Paths, a_limit_of_zero_keeps_nothing) {
  Paths paths = started_at(0, 0);
  EXPECT_THAT(paths.merged(extended(paths, {}, Cause::wire, 0, wire, 1)), IsEmpty());
  EXPECT_EQ(paths.nodes(), 0);
}

/// A chain as a list, and the same as a cursor of Paths.
struct Twin {
  std::vector<Segment> segments;
  double end = 0;
  PathCursor cursor;
};

std::map<std::tuple<Cause, int, int>, double> by_place(const std::vector<Segment>& segments) {
  std::map<std::tuple<Cause, int, int>, double> sums;
  for (const Segment& segment : segments)
    sums[{segment.cause, segment.rank, segment.resource}] += segment.seconds;
  return sums;
}

/// Chains that grow and take each other over at random, `ranks` ranks on as many resources.
std::vector<Twin> random_chains(Paths& paths, int ranks, int steps) {
  std::vector<Twin> twins(static_cast<std::size_t>(ranks));
  std::mt19937 random(7);
  const auto draw = [&](int below) { return static_cast<int>(random() % unsigned(below)); };
  for (int step = 1; step <= steps; ++step) {
    for (Twin& twin : twins) {
      if (draw(3) == 0) {
        const Twin& other = twins[static_cast<std::size_t>(draw(ranks))];
        if (other.end > twin.end) twin = other;
      }
      const Segment segment{Cause(draw(5)), draw(ranks), draw(2), step - twin.end};
      paths.extend(twin.cursor, segment.cause, segment.rank, segment.resource, step);
      if (segment.seconds > 0) twin.segments.push_back(segment);
      twin.end = step;
    }
  }
  return twins;
}

// Times are whole numbers: the sums are exact in every order.
TEST(Paths, totals_stay_exact_however_old_segments_are_kept) {
  Paths paths = started_at(0, 64);
  for (const Twin& twin : random_chains(paths, 12, 500))
    EXPECT_EQ(by_place(paths.merged(twin.cursor)), by_place(twin.segments));
  EXPECT_FALSE(paths.reduced());
}

TEST(Paths, kept_chain_is_the_end_of_the_path) {
  Paths paths = started_at(0, 64);
  for (const Twin& twin : random_chains(paths, 12, 500)) {
    const Paths::Chain chain = paths.chain(twin.cursor);
    EXPECT_GT(chain.begin, 0);
    EXPECT_LT(chain.begin, 500);
    EXPECT_EQ(chain.begin + total(chain.segments), 500);
  }
}

TEST(Paths, nodes_are_bounded_by_the_limit_and_the_cursors_not_by_the_steps) {
  Paths paths = started_at(0, 64);
  const std::vector<Twin> twins = random_chains(paths, 12, 5000);
  // A fold leaves twice as many parts as cursors at most: to each end, to where chains part. Those
  // have at most as many segments of their own as a run is long.
  EXPECT_LE(paths.nodes(), 2 * 2 * 12 * 18);
}

TEST(Paths, non_repeating_path_becomes_exact_totals) {
  Paths paths = started_at(0, 64, 4096);
  std::mt19937 random(7);
  PathCursor cursor;
  std::map<std::tuple<Cause, int, int>, double> sums;
  double now = 0;
  for (int step = 0; step < 20'000; ++step) {
    const int seconds = 1 + static_cast<int>(random() % 1000), rank = step % 5;
    paths.extend(cursor, Cause::copy, rank, core, now += seconds);
    sums[{Cause::copy, rank, core}] += seconds;
  }
  EXPECT_EQ(by_place(paths.merged(cursor)), sums);
  EXPECT_FALSE(paths.reduced());
  EXPECT_LT(paths.bytes_of_runs(), 100'000);
}

TEST(Paths, beyond_its_bytes_the_largest_totals_keep_their_places_and_causes_stay_exact) {
  Paths paths = started_at(0, 64, 1024);
  PathCursor cursor;
  constexpr int steps = 20'000;
  double now = 0;
  for (int step = 0; step < steps; ++step) {
    paths.extend(cursor, Cause::copy, 3, core, now += 10);
    paths.extend(cursor, Cause::wire, -1, step, now += 1);  // each on another link
  }
  EXPECT_TRUE(paths.reduced());
  EXPECT_LT(paths.bytes_of_runs(), 100'000);
  const std::vector<Segment> segments = paths.merged(cursor);
  EXPECT_EQ(segments.front(), (Segment{Cause::copy, 3, core, 10.0 * steps}));
  EXPECT_EQ(total(segments), now);
  double wires = 0;
  for (const Segment& segment : segments)
    wires += segment.cause == Cause::wire ? segment.seconds : 0;
  EXPECT_EQ(wires, steps);
}

/// Chains that go round a ring: each step every rank takes over the chain of the one before.
/// Durations are no whole numbers: equal steps differ in their last digits.
void ring_step(Paths& paths, std::vector<PathCursor>& chains, int step) {
  std::rotate(chains.begin(), chains.end() - 1, chains.end());
  int rank = 0;
  for (PathCursor& chain : chains) {
    paths.extend(chain, Cause::wire, -1, 100 + rank, (step + 0.3) / 7);
    paths.extend(chain, Cause::copy, rank, rank, (step + 0.7) / 7);
    paths.extend(chain, Cause::reduce, rank, rank, (step + 1.0) / 7);
    ++rank;
  }
}

std::vector<PathCursor> ring_chains(Paths& paths, int ranks, int steps) {
  std::vector<PathCursor> chains(static_cast<std::size_t>(ranks));
  for (int step = 0; step < steps; ++step) ring_step(paths, chains, step);
  return chains;
}

TEST(Paths, chains_round_a_ring_are_exact_in_memory_for_a_few_steps) {
  constexpr int ranks = 64, rounds = 100, steps = ranks * rounds;
  Paths paths = started_at(0, 1000);
  const std::vector<PathCursor> chains = ring_chains(paths, ranks, steps);
  const std::vector<Segment> segments = paths.merged(chains[5]);
  ASSERT_EQ(segments.size(), 3 * ranks);
  for (const Segment& segment : segments) {
    const double share = segment.cause == Cause::copy ? 0.4 : 0.3;  // of each step
    EXPECT_NEAR(segment.seconds, rounds * share / 7, 1e-9 * rounds / 7);
  }
  EXPECT_FALSE(paths.reduced());
  // The chains have 64 x 6400 x 3 segments; 64 different runs of 3, and as many of each length 2^k.
  EXPECT_LT(paths.bytes_of_runs(), 100'000);
}

std::vector<PathCursor*> pointers(std::vector<PathCursor>& cursors) {
  std::vector<PathCursor*> list;
  for (PathCursor& cursor : cursors) list.push_back(&cursor);
  return list;
}

// One step of the ring is a period: the chain of each rank goes on from that of the one before.
TEST(Paths, repeated_periods_are_as_if_they_had_been_appended) {
  constexpr int ranks = 12, steps = 700, before = 20;
  for (const int period : {1, 3, 12, 17}) {
    Paths paths = started_at(0), full = started_at(0);
    std::vector<PathCursor> chains(ranks), all(ranks);
    for (int step = 0; step < before; ++step) ring_step(paths, chains, step);
    const std::vector<PathCursor> marks = paths.snapshot(pointers(chains));
    for (int step = before; step < before + period; ++step) ring_step(paths, chains, step);
    const int times = (steps - before - period) / period;
    paths.repeat(marks, pointers(chains), period / 7.0, static_cast<std::uint64_t>(times));
    const int end = before + period * (1 + times);
    for (int step = end; step < steps; ++step) ring_step(paths, chains, step);
    for (int step = 0; step < steps; ++step) ring_step(full, all, step);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto expected = by_place(full.merged(all[rank]));
      const auto sums = by_place(paths.merged(chains[rank]));
      ASSERT_EQ(sums.size(), expected.size());
      for (const auto& [place, seconds] : expected)
        EXPECT_NEAR(sums.at(place), seconds, 1e-9 * steps / 7) << period;
    }
  }
}

TEST(Paths, a_restart_begins_anew) {
  Paths paths = started_at(0);
  const PathCursor old = extended(paths, {}, Cause::wire, 0, wire, 1);
  paths.restart(10);
  EXPECT_EQ(total(paths.merged(extended(paths, {}, Cause::wire, 0, wire, 12))), 2);
}

}  // namespace
}  // namespace ringscope::sim
