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
  return rabenseifner<Folding::by_halves>("rabenseifner_halves",
                                          "the same; ranks beyond a power of two fold by halves");
}

}  // namespace ringscope
