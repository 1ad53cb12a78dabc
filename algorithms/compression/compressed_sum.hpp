// SPDX-License-Identifier: LGPL-2.1-or-later
// Sum of a gradient over all ranks, as it is or compressed.
#pragma once

#include <cstdint>

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// Form in which a gradient is sent, and its cost.
struct Compression {
  enum class Kind : std::uint8_t { none, sparse, low_rank };
  Kind kind = Kind::none;
  double ratio = 1;       ///< bytes that go, by those of the gradient
  Duration compress{};    ///< for each byte of the gradient
  Duration decompress{};  ///< for each byte that comes
};

/// The part of a gradient that goes: its first items stand for what is chosen, or made of it.
Range kept_of(Range gradient, const Compression& how);

/// Allgather of the same name as the exchange's allreduce, or else the ring.
const Algorithm& allgather_like(const Algorithm& allreduce);

/// Sums `work.data` over all ranks: with a compression what goes of it, and the rest stays as it
/// is. `exchange`: an allreduce, kept by its owner while it runs.
Task sum_gradient(Communicator comm, Workspace work, Options options, Compression how,
                  const Algorithm* exchange);

Cost sum_gradient_cost(int ranks, std::size_t items, const Options& options, const Compression& how,
                       const Algorithm& exchange);
std::size_t sum_gradient_scratch(int ranks, std::size_t items, const Options& options,
                                 const Compression& how, const Algorithm& exchange);

/// All ranks do alike.
bool sum_gradient_alike(int ranks, std::size_t items, const Options& options,
                        const Compression& how, const Algorithm& exchange);

}  // namespace ringscope
