// SPDX-License-Identifier: LGPL-2.1-or-later
// Do chunks, parts and spans tile a range, whatever its size?
#include <gtest/gtest.h>

#include "algorithms/verbs/range.hpp"

namespace ringscope {
namespace {

constexpr int most_ranks = 17;
constexpr std::size_t most_items = 40;

Range range_of(std::size_t items) { return {Buffer::scratch, 5, items}; }

template <typename Check>
void for_all(Check check) {
  for (int p = 1; p <= most_ranks; ++p)
    for (std::size_t s = 0; s <= most_items; ++s) {
      SCOPED_TRACE(testing::Message() << p << " chunks of " << s << " items");
      check(p, range_of(s));
    }
}

TEST(Chunks, tile_the_range_in_order) {
  for_all([](int p, Range whole) {
    const Chunks chunk(whole, p);
    std::size_t end = whole.offset;
    for (int i = 0; i < p; ++i) {
      EXPECT_EQ(chunk[i].buffer, whole.buffer);
      EXPECT_EQ(chunk[i].offset, end);
      end += chunk[i].size;
    }
    EXPECT_EQ(end, whole.offset + whole.size);
  });
}

TEST(Chunks, differ_by_at_most_one_item_and_the_larger_come_first) {
  for_all([](int p, Range whole) {
    const Chunks chunk(whole, p);
    for (int i = 1; i < p; ++i) EXPECT_GE(chunk[i - 1].size, chunk[i].size);
    EXPECT_LE(chunk[0].size - chunk[p - 1].size, 1u);
  });
}

TEST(Chunks, an_index_is_taken_modulo_their_number) {
  for_all([](int p, Range whole) {
    const Chunks chunk(whole, p);
    EXPECT_EQ(chunk.count(), p);
    for (int i = 0; i < p; ++i) {
      EXPECT_EQ(chunk[i - p], chunk[i]);
      EXPECT_EQ(chunk[i - 3 * p], chunk[i]);
      EXPECT_EQ(chunk[i + p], chunk[i]);
    }
  });
}

TEST(Chunks, a_span_is_its_chunks_side_by_side) {
  for_all([](int p, Range whole) {
    const Chunks chunk(whole, p);
    for (int first = 0; first < p; ++first) {
      std::size_t size = 0;
      for (int count = 1; first + count <= p; ++count) {
        size += chunk[first + count - 1].size;
        EXPECT_EQ(chunk.span(first, count), (Range{whole.buffer, chunk[first].offset, size}));
      }
    }
    EXPECT_EQ(chunk.span(0, p), whole);
    EXPECT_EQ(chunk.span(p, 0).size, 0u);
  });
}

TEST(Range, first_keeps_the_front) {
  EXPECT_EQ(range_of(9).first(4), (Range{Buffer::scratch, 5, 4}));
  EXPECT_EQ(range_of(9).first(0).size, 0u);
  EXPECT_EQ(range_of(9).first(9), range_of(9));
}

TEST(RangeDeathTest, asserts_that_a_part_is_inside) {
  EXPECT_DEATH((void)range_of(9).first(10), "count <= size");
  EXPECT_DEATH((void)range_of(9).part(3, 3), "i < parts");
  EXPECT_DEATH((void)Chunks(range_of(9), 0), "ranks > 0");
}

}  // namespace
}  // namespace ringscope
