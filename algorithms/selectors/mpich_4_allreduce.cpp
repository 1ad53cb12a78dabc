// SPDX-License-Identifier: LGPL-2.1-or-later
// MPI_Allreduce as MPICH 4 chooses it, without a file of the user's, for commutative operations: by
// the hosts' leaders on several hosts of which one has several ranks; else, and between the
// leaders, recursive doubling up to 2 KiB and for fewer numbers than the power of two below the
// ranks, Rabenseifner's beyond.
//
// `mpich_flat` is the same without hosts: MPICH with MPIR_CVAR_ENABLE_SMP_ALLREDUCE=0, and
// libraries that are made of it.
//
// Source: the selections built into MPICH 4.0.2 (maint/tuning/coll/ch4/generic.json, composition
// alpha; mpir/generic.json; validation/tune/formats keeps the second). On one host its own shared
// memory algorithms come into question, which are left out.
#include <bit>

#include "algorithms/selectors/selector.hpp"
#include "algorithms/steps/host_order.hpp"

namespace ringscope {
namespace {

constexpr std::uint64_t short_bytes = 2048;

std::string_view flat(int ranks, std::size_t items, const Options& options) {
  const bool few = numbers_of(items, options) < std::bit_floor(static_cast<unsigned>(ranks));
  return few || bytes_of(items, options) <= short_bytes ? "recursive_doubling" : "rabenseifner";
}

Choice choose_mpich_4_allreduce(int ranks, std::size_t items, const Options& options) {
  const auto hosts = static_cast<int>(host_groups(ranks, options)->hosts.size());
  if (hosts == 1 || hosts == ranks) return {flat(ranks, items, options)};
  return {.name = "leaders", .between = flat(hosts, items, options)};
}

constexpr Selection mpich_4_allreduce = {
    .collective = "allreduce",
    .name = "mpich_4",
    .summary = "as MPICH 4 chooses by hosts, ranks and size",
    .choose = choose_mpich_4_allreduce,
    .varies = Varies::steps,
};

constexpr Selection mpich_flat_allreduce = {
    .collective = "allreduce",
    .name = "mpich_flat",
    .summary = "as MPICH chooses by ranks and size, whatever their hosts",
    .choose = [](int ranks, std::size_t items, const Options& options) -> Choice {
      return {flat(ranks, items, options)};
    },
};

}  // namespace

Algorithm describe_mpich_4_allreduce() { return selector<mpich_4_allreduce>({"item"}); }

Algorithm describe_mpich_flat_allreduce() { return selector<mpich_flat_allreduce>({"item"}); }

}  // namespace ringscope
