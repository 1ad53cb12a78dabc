// SPDX-License-Identifier: LGPL-2.1-or-later
// Rabenseifner's allreduce as Open MPI has it: numbers of ranks that are no power of two fold by
// halves (fold.hpp). With a power of two the same as `rabenseifner`.
//
// Source: Open MPI, coll_base_allreduce.c, ompi_coll_base_allreduce_intra_redscat_allgather.
// Cost with 2^k <= P and r = P - 2^k > 0: 2k+3 steps, 2^k 2k + 4r messages,
// 2(2^k - 1)S + r(2S + floor(S/2)) items on the wire.
#include "algorithms/allreduce/rabenseifner.hpp"

namespace ringscope {

Algorithm describe_rabenseifner_halves_allreduce() {
  constexpr Folding how = Folding::by_halves;
  return {
      .collective = "allreduce",
      .name = "rabenseifner_halves",
      .summary = "the same; ranks beyond a power of two fold by halves",
      .run = [](Communicator comm, Workspace work,
                Options) { return rabenseifner_allreduce(comm, work.data, work.scratch, how); },
      .cost = [](int ranks, std::size_t items,
                 Options) { return rabenseifner_cost(ranks, items, how); },
      .scratch_items = [](int ranks, std::size_t items,
                          Options) { return rabenseifner_scratch(ranks, items, how); },
  };
}

}  // namespace ringscope
