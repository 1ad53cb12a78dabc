// Reduces any number of ranks to a power of two: among the first 2r ranks, with r = P - 2^k, each
// even rank hands its vector to the odd rank above it and steps aside until the result comes back.
//
// Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", Int. J. High Perform. Comput. Appl. 19 (2005), section 4.5.
// Cost, where r > 0: 2 steps, 2r messages, 2rS items on the wire.
#pragma once

#include <bit>

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// The ranks that stay have indices 0..size()-1.
class Fold {
 public:
  /// Requires ranks >= 1.
  explicit constexpr Fold(int ranks)
      : size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        pairs_(ranks - size_) {}

  constexpr int size() const { return size_; }    ///< 2^k, the largest that is at most P
  constexpr int pairs() const { return pairs_; }  ///< r
  constexpr int rounds() const { return std::countr_zero(static_cast<unsigned>(size_)); }  ///< k

  constexpr bool steps_aside(int rank) const { return rank < 2 * pairs_ && rank % 2 == 0; }
  constexpr bool stands_for_two(int rank) const { return rank < 2 * pairs_ && rank % 2 == 1; }
  /// Requires that the rank does not step aside.
  constexpr int index(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  constexpr int rank(int index) const { return index < pairs_ ? 2 * index + 1 : index + pairs_; }

 private:
  int size_;
  int pairs_;
};

constexpr Cost fold_cost(int ranks, std::size_t items) {
  const Fold fold(ranks);
  return {.steps = fold.pairs() > 0 ? 2 : 0,
          .messages = 2 * fold.pairs(),
          .items = 2 * static_cast<std::uint64_t>(fold.pairs()) * items};
}

/// Ranks that step aside hand in their data; `scratch` holds as many items as `data`.
Task fold_in(Communicator comm, Range data, Range scratch);
/// Ranks that stepped aside get the result.
Task fold_out(Communicator comm, Range data);

}  // namespace ringscope
