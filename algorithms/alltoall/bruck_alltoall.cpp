// SPDX-License-Identifier: LGPL-2.1-or-later
// Bruck's all-to-all: log2 P steps in place of P-1, each with half of all blocks. For short blocks.
//
// Chunks differ by an item, and slots change their blocks: a slot has room for the largest chunk,
// messages hold just the items. In scratch space lie the pieces, a message out, a message in, and
// the slots.
//
// Source: Bruck, Ho, Kipnis, Upfal and Weathersby 1997; Thakur, Rabenseifner and Gropp 2005,
// section 4.6. MPICH: alltoall_intra_brucks. Open MPI: alltoall_intra_bruck.
// Cost: ceil(log2 P) steps, P ceil(log2 P) messages; on the wire S items for each bit set in the
// numbers 0..P-1: with 2^k ranks k P/2 S.
#include "algorithms/steps/bruck_steps.hpp"
#include "algorithms/steps/ring_steps.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {
namespace {

int most_blocks(int ranks) {
  int most = 0;
  for (int step = 0; step < doublings(ranks); ++step)
    most = std::max(most, bruck_blocks(ranks, step));
  return most;
}

/// The parts of scratch space, in the order in which they lie there.
class Layout {
 public:
  Layout(Range scratch, Chunks chunk, int self)
      : scratch_(scratch),
        chunk_(chunk),
        self_(self),
        largest_(chunk[0].size),
        out_(times(chunk.count(), largest_)),
        in_(out_ + times(most_blocks(chunk.count()), largest_)),
        slots_(in_ + times(most_blocks(chunk.count()), largest_)) {}

  Pieces pieces() const { return {scratch_, chunk_[self_].size}; }
  /// The block in `slot` after `step` steps.
  Range slot(int slot, int step) const {
    return at(slots_ + times(slot, largest_),
              chunk_[bruck_destination(self_, slot, step, chunk_.count())].size);
  }
  Range out(std::size_t offset, std::size_t size) const { return at(out_ + offset, size); }
  Range in(std::size_t offset, std::size_t size) const { return at(in_ + offset, size); }

 private:
  Range at(std::size_t offset, std::size_t size) const {
    return {scratch_.buffer, scratch_.offset + offset, size};
  }

  Range scratch_;
  Chunks chunk_;
  int self_;
  std::size_t largest_, out_, in_, slots_;
};

Task bruck_alltoall(Communicator comm, Chunks chunk, Range scratch) {
  const int self = comm.rank(), size = comm.size(), steps = doublings(size);
  const Layout held(scratch, chunk, self);

  for (int slot = 0; slot < size; ++slot)
    co_await comm.copy(held.slot(slot, 0), chunk[self + slot]);
  for (int step : comm.phase("exchange", steps)) {
    std::size_t going = 0, coming = 0;
    for (int slot = 0; slot < size; ++slot) {
      if (!bruck_travels(slot, step)) continue;
      const Range block = held.slot(slot, step);
      co_await comm.copy(held.out(going, block.size), block);
      going += block.size;
      coming += held.slot(slot, step + 1).size;
    }
    const int above = (self + (1 << step)) % size, below = (self + size - (1 << step)) % size;
    co_await comm.sendrecv(held.out(0, going), above, held.in(0, coming), below);
    std::size_t taken = 0;
    for (int slot = 0; slot < size; ++slot) {
      if (!bruck_travels(slot, step)) continue;
      const Range block = held.slot(slot, step + 1);
      co_await comm.copy(block, held.in(taken, block.size));
      taken += block.size;
    }
  }
  for (int slot = 0; slot < size; ++slot)
    co_await comm.copy(held.pieces()[(self + size - slot) % size], held.slot(slot, steps));
}

Cost bruck_alltoall_cost(int ranks, std::size_t items, Options) {
  const std::int64_t steps = doublings(ranks);
  std::uint64_t blocks = 0;
  for (int step = 0; step < steps; ++step)
    blocks += static_cast<std::uint64_t>(bruck_blocks(ranks, step));
  return {.steps = steps, .messages = ranks * steps, .items = blocks * items};
}

std::size_t bruck_alltoall_scratch(int ranks, std::size_t items, Options options) {
  return 2 * (pieces_items(ranks, items, options) +
              times(most_blocks(ranks), ring_chunk_items(ranks, items)));
}

}  // namespace

Algorithm describe_bruck_alltoall() {
  return {
      .collective = "alltoall",
      .name = "bruck",
      .summary = "half of all blocks in each of log2 P steps, for short ones",
      .run = on_chunks_and_scratch<bruck_alltoall>,
      .cost = bruck_alltoall_cost,
      .scratch_items = bruck_alltoall_scratch,
      .alike = always,
  };
}

}  // namespace ringscope
