// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the index arithmetic right: who sends what to whom, at every step, for every number of ranks?
#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <set>

#include "algorithms/steps/bruck_steps.hpp"
#include "algorithms/steps/fold.hpp"
#include "algorithms/steps/folded_chunks.hpp"
#include "algorithms/steps/interleaved_order.hpp"
#include "algorithms/steps/pairs.hpp"
#include "algorithms/steps/ring_steps.hpp"
#include "algorithms/steps/rotation.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope::steps_test {
namespace {

constexpr int most_ranks = 40;

int modulo(int index, int ranks) { return ((index % ranks) + ranks) % ranks; }

TEST(RingSteps, a_rank_receives_what_its_neighbour_sends) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int self = 0; self < p; ++self)
      for (int step = 0; step < p - 1; ++step) {
        const int prev = modulo(self - 1, p);
        EXPECT_EQ(modulo(reduce_scatter_step(self, step).received, p),
                  modulo(reduce_scatter_step(prev, step).sent, p));
        EXPECT_EQ(modulo(allgather_step(self, step).received, p),
                  modulo(allgather_step(prev, step).sent, p));
      }
}

TEST(RingSteps, a_rank_sends_what_it_received_in_the_step_before) {
  for (int p = 2; p <= most_ranks; ++p)
    for (int self = 0; self < p; ++self) {
      for (int step = 1; step < p - 1; ++step) {
        EXPECT_EQ(reduce_scatter_step(self, step).sent,
                  reduce_scatter_step(self, step - 1).received);
        EXPECT_EQ(allgather_step(self, step).sent, allgather_step(self, step - 1).received);
      }
      EXPECT_EQ(modulo(allgather_step(self, 0).sent, p),
                modulo(reduce_scatter_step(self, p - 2).received, p));
    }
}

TEST(RingSteps, each_phase_brings_a_rank_all_chunks_but_the_one_it_begins_with) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int self = 0; self < p; ++self) {
      std::set<int> summed = {self}, gathered = {modulo(self + 1, p)};
      for (int step = 0; step < p - 1; ++step) {
        summed.insert(modulo(reduce_scatter_step(self, step).received, p));
        gathered.insert(modulo(allgather_step(self, step).received, p));
      }
      EXPECT_EQ(std::ssize(summed), p);
      EXPECT_EQ(std::ssize(gathered), p);
    }
}

TEST(Fold, keeps_the_largest_power_of_two) {
  for (int p = 1; p <= most_ranks; ++p) {
    const Fold fold(p);
    EXPECT_EQ(fold.size(), 1 << fold.rounds());
    EXPECT_LE(fold.size(), p);
    EXPECT_GT(2 * fold.size(), p);
    EXPECT_EQ(fold.size() + fold.pairs(), p);
  }
}

TEST(Fold, remaining_ranks_map_to_indices_and_back) {
  for (int p = 1; p <= most_ranks; ++p) {
    const Fold fold(p);
    int next = 0;
    for (int rank = 0; rank < p; ++rank) {
      if (fold.steps_aside(rank)) continue;
      EXPECT_EQ(fold.index(rank), next) << "rank " << rank << " of " << p;
      EXPECT_EQ(fold.rank(next), rank) << "index " << next << " of " << p;
      ++next;
    }
    EXPECT_EQ(next, fold.size());
  }
}

TEST(Fold, folded_ranks_are_represented_by_the_next_rank) {
  for (int p = 1; p <= most_ranks; ++p) {
    const Fold fold(p);
    int aside = 0;
    for (int rank = 0; rank < p; ++rank) {
      EXPECT_FALSE(fold.steps_aside(rank) && fold.stands_for_two(rank));
      EXPECT_EQ(fold.steps_aside(rank), rank + 1 < p && fold.stands_for_two(rank + 1));
      aside += fold.steps_aside(rank) ? 1 : 0;
    }
    EXPECT_EQ(aside, fold.pairs());
  }
}

TEST(Fold, by_halves_the_even_rank_of_a_pair_stays_in_place_of_the_odd_one) {
  for (int p = 1; p <= most_ranks; ++p) {
    const Fold fold(p, Folding::by_halves), whole(p);
    for (int rank = 0; rank < 2 * fold.pairs(); ++rank) {
      EXPECT_EQ(fold.steps_aside(rank), whole.stands_for_two(rank)) << rank << " of " << p;
      EXPECT_EQ(fold.stands_for_two(rank), whole.steps_aside(rank)) << rank << " of " << p;
    }
    for (int index = 0; index < fold.size(); ++index)
      EXPECT_EQ(fold.index(fold.rank(index)), index) << "index " << index << " of " << p;
  }
}

TEST(HalvingSteps, partners_swap_halves) {
  for (int size = 2; size <= 64; size *= 2)
    for (int step = 0; step < std::countr_zero(static_cast<unsigned>(size)); ++step)
      for (int index = 0; index < size; ++index) {
        const HalvingStep mine = halving_step(index, size, step);
        const HalvingStep theirs = halving_step(mine.partner, size, step);
        EXPECT_EQ(theirs.partner, index);
        EXPECT_EQ(theirs.kept, mine.given);
        EXPECT_EQ(theirs.given, mine.kept);
        EXPECT_EQ(theirs.count, mine.count);
      }
}

/// Reverses the lowest log2(size) bits.
int reversed_bits(int index, int size) {
  int reversed = 0;
  for (int bit = 1; bit < size; bit *= 2) reversed = 2 * reversed + ((index & bit) != 0 ? 1 : 0);
  return reversed;
}

TEST(HalvingSteps, the_largest_halves_go_to_the_nearest_index) {
  for (int size = 2; size <= 64; size *= 2)
    for (int index = 0; index < size; ++index) {
      const HalvingStep first = halving_step(index, size, 0);
      EXPECT_EQ(first.partner, index % 2 == 0 ? index + 1 : index - 1);
      EXPECT_EQ(first.count, size / 2);
    }
}

TEST(HalvingSteps, each_step_splits_what_the_one_before_kept_down_to_one_chunk_of_its_own) {
  for (int size = 2; size <= 64; size *= 2)
    for (int index = 0; index < size; ++index) {
      int first = 0, count = size;
      for (int step = 0; count > 1; ++step) {
        const HalvingStep at = halving_step(index, size, step);
        EXPECT_EQ(std::min(at.kept, at.given), first);
        EXPECT_EQ(std::max(at.kept, at.given), first + count / 2);
        EXPECT_EQ(at.count, count / 2);
        first = at.kept;
        count = at.count;
      }
      EXPECT_EQ(first, reversed_bits(index, size));
    }
}

TEST(OrderedHalvingSteps, each_step_splits_what_the_one_before_kept_down_to_the_own_index) {
  for (int size = 2; size <= 64; size *= 2)
    for (int index = 0; index < size; ++index) {
      int first = 0, count = size;
      for (int step = 0; count > 1; ++step) {
        const OrderedHalvingStep at = ordered_halving_step(index, size, step);
        EXPECT_EQ(std::min(at.kept, at.given), first);
        EXPECT_EQ(std::max(at.kept, at.given), first + count / 2);
        EXPECT_EQ(ordered_halving_step(at.partner, size, step).kept, at.given);
        first = at.kept;
        count = at.count;
      }
      EXPECT_EQ(first, index);
    }
}

TEST(FoldedChunks, an_index_holds_the_chunks_of_those_it_stands_for) {
  for (int p = 1; p <= most_ranks; ++p) {
    const Fold fold(p);
    const Chunks chunk({.size = 100}, p);
    const FoldedChunks held(chunk, fold);
    for (int index = 0; index < fold.size(); ++index) {
      const int rank = fold.rank(index);
      EXPECT_EQ(held.span(index, 1),
                fold.stands_for_two(rank) ? chunk.span(rank - 1, 2) : chunk.span(rank, 1));
    }
    EXPECT_EQ(held.span(0, fold.size()), chunk.span(0, p));
  }
}

TEST(TreeRanks, count_from_the_root_and_back) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int root = 0; root < p; ++root) {
      EXPECT_EQ(from_root(root, root, p), 0);
      for (int rank = 0; rank < p; ++rank)
        EXPECT_EQ(to_rank(from_root(rank, root, p), root, p), rank);
    }
}

TEST(BinomialNode, families_of_the_children_follow_their_parent_without_gaps) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int self = 0; self < p; ++self) {
      const BinomialNode node(self, p);
      int next = self + 1;
      for (int i = 0; i < node.children(); ++i) {
        const BinomialNode child(node.child(i), p);
        EXPECT_EQ(node.child(i), next);
        EXPECT_EQ(child.parent(), self);
        next += child.family();
      }
      EXPECT_EQ(next, self + node.family()) << self << " of " << p;
      EXPECT_EQ(node.is_leaf(), node.children() == 0);
    }
}

TEST(BinomialNode, the_root_has_all_and_as_many_children_as_doublings) {
  for (int p = 1; p <= most_ranks; ++p) {
    EXPECT_EQ(BinomialNode(0, p).family(), p);
    EXPECT_EQ(BinomialNode(0, p).children(), doublings(p));
    EXPECT_GE(1 << doublings(p), p);
    EXPECT_TRUE(p == 1 || 1 << (doublings(p) - 1) < p);
  }
}

TEST(Rotation, holds_the_chunks_from_the_first_on_and_around) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int first = 0; first < p; ++first) {
      const Chunks chunk({.size = 100}, p);
      const Rotation held({.buffer = Buffer::scratch, .offset = 7, .size = 100}, chunk, first);
      std::size_t offset = 7;
      for (int i = 0; i < p; ++i) {
        EXPECT_EQ(held.span(i, 1), (Range{Buffer::scratch, offset, chunk[first + i].size}));
        offset += chunk[first + i].size;
      }
      EXPECT_EQ(held.span(0, p), (Range{Buffer::scratch, 7, 100}));
    }
}

TEST(BruckSteps, every_block_reaches_the_rank_it_is_for) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int self = 0; self < p; ++self)
      for (int slot = 0; slot < p; ++slot) {
        int at = self;
        for (int step = 0; step < doublings(p); ++step) {
          EXPECT_EQ(bruck_destination(at, slot, step, p), (self + slot) % p);
          if (bruck_travels(slot, step)) at = (at + (1 << step)) % p;
        }
        EXPECT_EQ(at, (self + slot) % p);
      }
}

TEST(BruckSteps, counts_the_blocks_that_travel) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int step = 0; step < doublings(p); ++step) {
      int blocks = 0;
      for (int slot = 0; slot < p; ++slot) blocks += bruck_travels(slot, step) ? 1 : 0;
      EXPECT_EQ(bruck_blocks(p, step), blocks);
    }
}

TEST(Pairs, are_mutual_and_leave_at_most_the_last_rank_alone) {
  for (int p = 1; p <= most_ranks; ++p)
    for (int rank = 0; rank < p; ++rank) {
      EXPECT_EQ(partner_of(partner_of(rank)), rank);
      EXPECT_EQ(has_partner(rank, p), !(p % 2 == 1 && rank == p - 1));
    }
}

// Narayanan et al., figure 4: four stages of two parts, eight micro-batches.
TEST(InterleavedOrder, takes_as_many_micro_batches_as_stages_through_a_part_at_once) {
  const InterleavedOrder last = {4, 2, 8, 3}, first = {4, 2, 8, 0};
  EXPECT_EQ(last.warm_up(), 4);
  EXPECT_EQ(first.warm_up(), 10);
  const std::vector<int> parts = {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1};
  for (int pass = 0; pass < first.passes(); ++pass) {
    EXPECT_EQ(first.part(false, pass), parts[static_cast<std::size_t>(pass)]);
    EXPECT_EQ(first.part(true, pass), 1 - parts[static_cast<std::size_t>(pass)]);
  }
}

}  // namespace
}  // namespace ringscope::steps_test
