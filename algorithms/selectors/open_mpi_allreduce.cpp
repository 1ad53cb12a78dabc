// SPDX-License-Identifier: LGPL-2.1-or-later
// Open MPI's choices for MPI_Allreduce, by its versions.
#include "algorithms/selectors/open_mpi_rules.hpp"
#include "algorithms/selectors/selector.hpp"
#include "algorithms/steps/host_order.hpp"

namespace ringscope {
namespace {

// MPI_Allreduce as Open MPI up to 4.0, 3.1 too, chooses it (component `tuned`), for commutative
// operations.
//
// Source: Open MPI 4.0.x, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c,
// ompi_coll_tuned_allreduce_intra_dec_fixed: recursive doubling below 10,000 B; a ring up to 1 MiB
// per rank, beyond it a ring in segments of 1 MiB. With no more numbers than ranks Open MPI
// reduces and then broadcasts; recursive doubling stands in for that here.

Choice choose_open_mpi_tuned_4_0_allreduce(int ranks, std::size_t items, const Options& options) {
  const std::uint64_t bytes = bytes_of(items, options);
  constexpr std::uint64_t intermediate = 10'000, segment = 1 << 20;
  if (bytes < intermediate || numbers_of(items, options) <= static_cast<std::uint64_t>(ranks))
    return {"recursive_doubling"};
  if (static_cast<std::uint64_t>(ranks) * segment >= bytes) return {"ring"};
  return {"ring_segmented", segment};
}

constexpr Selection open_mpi_tuned_4_0_allreduce = {
    .collective = "allreduce",
    .name = "open_mpi_tuned_4_0",
    .summary = "as Open MPI up to 4.0 (3.1 too) chooses by ranks and size (coll tuned)",
    .choose = choose_open_mpi_tuned_4_0_allreduce,
};

// MPI_Allreduce as Open MPI 4.1's component `tuned` chooses it, without files or parameters of the
// user's, for commutative operations.
//
// Source: Open MPI 4.1.x, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c,
// ompi_coll_tuned_allreduce_intra_dec_fixed; its segmented ring is given no segment size there and
// runs as a ring. Rings need a number per rank, as in coll_base_allreduce.c. Its
// non-overlapping algorithm, from 128 ranks on, calls MPI_Reduce and MPI_Bcast, whose own tables
// say binomial and k-nomial there (but for 512 B to 1 KiB on 2048 to 4095 ranks, an in-order binary
// reduce, which is binomial here).

constexpr std::string_view doubling = "recursive_doubling", halving = "rabenseifner_halves";
constexpr std::string_view reduce_then_broadcast = "reduce_broadcast";

const std::vector<open_mpi::RanksRule>& allreduce_rules() {
  constexpr std::string_view ring = "ring";
  static const std::vector<open_mpi::RanksRule> table = {
      {4,
       {{8, ring},
        {4096, doubling},
        {8192, ring},
        {16384, doubling},
        {262144, ring},
        {.name = halving}}},
      {8, {{16, ring}, {8192, doubling}, {.name = halving}}},
      {16, {{8192, doubling}, {.name = halving}}},
      {32, {{64, ring}, {4096, doubling}, {.name = halving}}},
      {64, {{128, ring}, {.name = halving}}},
      {128, {{262144, doubling}, {.name = halving}}},
      {256, {{131072, reduce_then_broadcast}, {262144, doubling}, {.name = halving}}},
      {512, {{4096, reduce_then_broadcast}, {.name = halving}}},
      {2048, {{2048, reduce_then_broadcast}, {16384, doubling}, {.name = halving}}},
      {4096, {{2048, reduce_then_broadcast}, {4096, ring}, {16384, doubling}, {.name = halving}}},
      {INT_MAX,
       {{2048, reduce_then_broadcast}, {16384, ring}, {32768, doubling}, {.name = halving}}},
  };
  return table;
}

Choice choose_open_mpi_tuned_allreduce(int ranks, std::size_t items, const Options& options) {
  const std::string_view name =
      open_mpi::look_up(allreduce_rules(), ranks, bytes_of(items, options));
  const bool too_short =
      name == "ring" && numbers_of(items, options) < static_cast<std::uint64_t>(ranks);
  return {too_short ? doubling : name};
}

constexpr Selection open_mpi_tuned_allreduce = {
    .collective = "allreduce",
    .name = "open_mpi_tuned",
    .summary = "as Open MPI 4.1 chooses by ranks and size (coll tuned)",
    .choose = choose_open_mpi_tuned_allreduce,
};

// MPI_Allreduce as Open MPI 5.0 chooses it, without files or parameters of the user's, for
// commutative operations: coll/han on several hosts of which one has several ranks, else what its
// component `tuned` chooses, whose fixed table is that of 4.1.
//
// Source: Open MPI 5.0.x, ompi/mca/coll/han: priority 35, tuned 30; its module gives way on a
// single host (coll_han_module.c), and where no host has two ranks (coll_han_subcomms.c).

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

// MPI_Iallreduce as Open MPI chooses it, for commutative operations and without MPI_IN_PLACE.
//
// Source: Open MPI, ompi/mca/coll/libnbc/nbc_iallreduce.c: binomial below 64 KiB and on up to three
// ranks; from there on a ring, in 5.0 Rabenseifner's for as many numbers as ranks.

Choice choose_libnbc(int ranks, std::size_t items, const Options& options,
                     std::string_view for_long) {
  const bool few = numbers_of(items, options) < static_cast<std::uint64_t>(ranks);
  constexpr std::uint64_t least_of_long = 65536;
  return {ranks < 4 || few || bytes_of(items, options) < least_of_long ? "binomial" : for_long};
}

constexpr Selection open_mpi_libnbc_allreduce = {
    .collective = "allreduce",
    .name = "open_mpi_libnbc",
    .summary = "MPI_Iallreduce as Open MPI up to 4.1 chooses by ranks and size (coll libnbc)",
    .choose = [](int ranks, std::size_t items, const Options& options) -> Choice {
      return choose_libnbc(ranks, items, options, "ring_waitall");
    },
};

constexpr Selection open_mpi_libnbc_5_0_allreduce = {
    .collective = "allreduce",
    .name = "open_mpi_libnbc_5_0",
    .summary = "MPI_Iallreduce as Open MPI 5.0 chooses by ranks and size (coll libnbc)",
    .choose = [](int ranks, std::size_t items, const Options& options) -> Choice {
      return choose_libnbc(ranks, items, options, halving);
    },
};

}  // namespace

Algorithm describe_open_mpi_libnbc_allreduce() {
  return selector<open_mpi_libnbc_allreduce>({"item"});
}

Algorithm describe_open_mpi_libnbc_5_0_allreduce() {
  return selector<open_mpi_libnbc_5_0_allreduce>({"item"});
}

Algorithm describe_open_mpi_tuned_4_0_allreduce() {
  return selector<open_mpi_tuned_4_0_allreduce>({"item"});
}

Algorithm describe_open_mpi_tuned_allreduce() {
  return selector<open_mpi_tuned_allreduce>({"item"});
}

Algorithm describe_open_mpi_5_0_allreduce() {
  return selector<open_mpi_5_0_allreduce>({"item", "segment"});
}

}  // namespace ringscope
