// SPDX-License-Identifier: LGPL-2.1-or-later
// MPI_Allreduce as Open MPI 5.0 chooses it, without files or parameters of the user's, for
// commutative operations: coll/han on several hosts of which one has several ranks, else what its
// component `tuned` chooses, whose fixed table is that of 4.1.
//
// Source: Open MPI 5.0.x, ompi/mca/coll/han: priority 35, tuned 30; its module gives way on a
// single host (coll_han_module.c), and where no host has two ranks (coll_han_subcomms.c).
#include "algorithms/selectors/selector.hpp"
#include "algorithms/steps/host_order.hpp"

namespace ringscope {
namespace {

Choice choose_open_mpi_5_0_allreduce(int ranks, std::size_t, const Options& options) {
  const auto groups = host_groups(ranks, options);
  const auto hosts = static_cast<int>(groups->hosts.size());
  return {hosts > 1 && hosts < ranks ? "han" : "open_mpi_tuned"};
}

constexpr Selection open_mpi_5_0_allreduce = {
    .collective = "allreduce",
    .name = "open_mpi_5_0",
    .summary = "as Open MPI 5.0 chooses by hosts, ranks and size (coll han, tuned)",
    .choose = choose_open_mpi_5_0_allreduce,
    .nonblocking = 2,
    .varies = Varies::steps,
};

}  // namespace

Algorithm describe_open_mpi_5_0_allreduce() {
  return selector<open_mpi_5_0_allreduce>({"item", "segment"});
}

}  // namespace ringscope
