// Does the chain of pieces that ends at a cursor cover the time from the start without a gap?
#include "sim/path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace ringscope::sim {

bool operator==(const Paths::Piece& a, const Paths::Piece& b) {
  return a.cause == b.cause && a.rank == b.rank && a.resource == b.resource &&
         a.seconds == b.seconds;
}
std::ostream& operator<<(std::ostream& out, const Paths::Piece& piece) {
  return out << static_cast<int>(piece.cause) << " of rank " << piece.rank << " on "
             << piece.resource << ": " << piece.seconds << " s";
}

namespace {

using Piece = Paths::Piece;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int core = 4, wire = 7;

Paths started_at(double date, std::size_t limit = 100) {
  Paths paths(limit);
  paths.restart(date);
  return paths;
}

double total(const std::vector<Piece>& pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), 0.0,
                         [](double sum, const Piece& piece) { return sum + piece.seconds; });
}

TEST(Paths, the_default_cursor_covers_nothing) { EXPECT_THAT(started_at(3).merged({}), IsEmpty()); }

TEST(Paths, a_chain_adds_up_from_the_start_to_its_end) {
  Paths paths = started_at(8);
  PathCursor cursor = paths.extend({}, Cause::compute, 0, core, 9);
  cursor = paths.extend(cursor, Cause::wire, 0, wire, 13);
  EXPECT_THAT(paths.merged(cursor),
              ElementsAre(Piece{Cause::wire, 0, wire, 4}, Piece{Cause::compute, 0, core, 1}));
  EXPECT_EQ(total(paths.merged(cursor)), 13 - 8);
}

TEST(Paths, no_time_adds_no_piece) {
  Paths paths = started_at(1);
  EXPECT_EQ(paths.extend({}, Cause::wire, 0, wire, 1).node, PathCursor{}.node);
  const PathCursor cursor = paths.extend({}, Cause::wire, 0, wire, 2);
  EXPECT_EQ(paths.extend(cursor, Cause::copy, 0, core, 2).node, cursor.node);
  EXPECT_EQ(paths.extend(cursor, Cause::copy, 0, core, 1.5).node, cursor.node);
}

TEST(Paths, pieces_of_one_cause_rank_and_resource_are_one) {
  Paths paths = started_at(0);
  PathCursor cursor;
  for (int step = 0; step < 4; ++step) {
    cursor = paths.extend(cursor, Cause::copy, step % 2, core, 2 * step + 1);
    cursor = paths.extend(cursor, Cause::wire, 0, wire, 2 * step + 2);
  }
  EXPECT_THAT(paths.merged(cursor),
              ElementsAre(Piece{Cause::wire, 0, wire, 4}, Piece{Cause::copy, 0, core, 2},
                          Piece{Cause::copy, 1, core, 2}));
}

TEST(Paths, who_waits_takes_over_the_chain_of_whom_it_waited_for) {
  Paths paths = started_at(0);
  const PathCursor sender = paths.extend({}, Cause::compute, 0, core, 5);
  const PathCursor message = paths.extend(sender, Cause::wire, 0, wire, 7);
  const PathCursor receiver = paths.extend({}, Cause::compute, 1, core, 1);
  const PathCursor reduced = paths.extend(message, Cause::reduce, 1, core, 8);
  EXPECT_THAT(paths.merged(reduced),
              ElementsAre(Piece{Cause::compute, 0, core, 5}, Piece{Cause::wire, 0, wire, 2},
                          Piece{Cause::reduce, 1, core, 1}));
  // The sender's own chain goes on from where it was.
  EXPECT_EQ(total(paths.merged(paths.extend(sender, Cause::reduce, 0, core, 6))), 6);
  EXPECT_EQ(total(paths.merged(receiver)), 1);
}

TEST(Paths, beyond_its_limit_nothing_is_kept_until_the_next_start) {
  Paths paths = started_at(0, 2);
  PathCursor cursor = paths.extend({}, Cause::wire, 0, wire, 1);
  cursor = paths.extend(cursor, Cause::copy, 0, core, 2);
  EXPECT_TRUE(paths.complete());
  const PathCursor old = cursor;
  cursor = paths.extend(cursor, Cause::wire, 0, wire, 3);
  EXPECT_FALSE(paths.complete());
  EXPECT_THAT(paths.merged(cursor), IsEmpty());
  EXPECT_THAT(paths.merged(paths.extend(old, Cause::wire, 0, wire, 4)), IsEmpty());
  paths.restart(10);
  EXPECT_TRUE(paths.complete());
  EXPECT_EQ(total(paths.merged(paths.extend({}, Cause::wire, 0, wire, 12))), 2);
}

TEST(Paths, a_limit_of_zero_keeps_nothing) {
  Paths paths = started_at(0, 0);
  EXPECT_FALSE(paths.complete());
  EXPECT_THAT(paths.merged(paths.extend({}, Cause::wire, 0, wire, 1)), IsEmpty());
}

}  // namespace
}  // namespace ringscope::sim
