// SPDX-License-Identifier: LGPL-2.1-or-later
// Reduces any number of ranks to a power of two: of each of r = P - 2^k pairs among the first 2r
// ranks one steps aside until the result comes back.
//
// Whole vectors, as MPICH does it: the even rank hands its own to the odd rank above it, which
// sums. Halves, as Open MPI does it before a reduce-scatter: both exchange halves, each sums one,
// and the odd rank hands its sum to the even one. That is half of the sums at a time, and both
// directions of the wire.
//
// Sources: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", Int. J. High Perform. Comput. Appl. 19 (2005), section 4.5; MPICH,
// allreduce_intra_reduce_scatter_allgather; Open MPI, coll_base_allreduce.c,
// ompi_coll_base_allreduce_intra_redscat_allgather, step 1.
// Cost, where r > 0: whole, 2 steps, 2r messages, 2rS items on the wire; by halves, 3 steps, 4r
// messages, r(2S + floor(S/2)) items.
#pragma once

#include <bit>

#include "algorithms/catalogue.hpp"

namespace ringscope {

enum class Folding : std::uint8_t { whole, by_halves };

/// The ranks that stay have indices 0..size()-1.
class Fold {
 public:
  /// Requires ranks >= 1.
  explicit constexpr Fold(int ranks, Folding how = Folding::whole)
      : size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        pairs_(ranks - size_),
        staying_(how == Folding::whole ? 1 : 0) {}

  constexpr int size() const { return size_; }    ///< 2^k, the largest that is at most P
  constexpr int pairs() const { return pairs_; }  ///< r
  constexpr int rounds() const { return std::countr_zero(static_cast<unsigned>(size_)); }  ///< k

  constexpr bool by_halves() const { return staying_ == 0; }
  constexpr bool steps_aside(int rank) const { return rank < 2 * pairs_ && rank % 2 != staying_; }
  constexpr bool stands_for_two(int rank) const {
    return rank < 2 * pairs_ && rank % 2 == staying_;
  }
  /// Requires that the rank does not step aside.
  constexpr int index(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  constexpr int rank(int index) const {
    return index < pairs_ ? 2 * index + staying_ : index + pairs_;
  }

 private:
  int size_;
  int pairs_;
  int staying_;  ///< of a pair: the even rank (0), or the odd one (1)
};

constexpr Cost fold_cost(const Fold& fold, std::size_t items) {
  if (fold.pairs() == 0) return {};
  const auto pairs = static_cast<std::uint64_t>(fold.pairs());
  return {.steps = fold.by_halves() ? 3 : 2,
          .messages = (fold.by_halves() ? 4 : 2) * fold.pairs(),
          .items = pairs * (2 * items + (fold.by_halves() ? items / 2 : 0))};
}

/// Ranks that step aside hand in their data; `scratch` holds as many items as `data`.
Task fold_in(Communicator comm, Fold fold, Range data, Range scratch);
/// Ranks that stepped aside get the result.
Task fold_out(Communicator comm, Fold fold, Range data);

}  // namespace ringscope
