// SPDX-License-Identifier: LGPL-2.1-or-later
// MPI_Bcast as Open MPI 4.1's component `tuned` chooses it, without files or parameters of the
// user's.
//
// Source: Open MPI 4.1.x, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c,
// ompi_coll_tuned_bcast_intra_dec_fixed. It asks for no segments and for one child per rank of a
// chain: its chain and its pipeline are both our chain with the vector in one piece. What we lack
// is replaced: the binary tree, the split binary tree and the k-nomial tree (of radix 4) by the
// binomial one; and the allgather by recursive doubling that follows the scatter by the ring's.
#include "algorithms/selectors/open_mpi_rules.hpp"
#include "algorithms/selectors/selector.hpp"

namespace ringscope {
namespace {

constexpr std::string_view linear = "flat", chain = "chain", pipeline = "chain";
constexpr std::string_view binomial = "binomial", scatter_allgather = "scatter_allgather";
constexpr std::string_view binary = binomial, split_binary = binomial, knomial = binomial;

const std::vector<open_mpi::RanksRule>& broadcast_rules() {
  static const std::vector<open_mpi::RanksRule> table = {
      {4,
       {{32, pipeline},
        {256, binary},
        {512, pipeline},
        {1024, knomial},
        {32768, linear},
        {131072, binary},
        {262144, chain},
        {524288, linear},
        {1048576, binomial},
        {.name = binary}}},
      {8,
       {{64, binary},
        {128, binomial},
        {2048, binary},
        {8192, binomial},
        {1048576, linear},
        {.name = chain}}},
      {16,
       {{8, knomial},
        {64, binary},
        {4096, knomial},
        {16384, binary},
        {32768, binomial},
        {.name = linear}}},
      {32, {{4096, knomial}, {1048576, binomial}, {.name = scatter_allgather}}},
      {64, {{2048, binomial}, {.name = knomial}}},
      {128, {{.name = knomial}}},
      {256, {{2, binomial}, {16384, binary}, {32768, linear}, {65536, binary}, {.name = knomial}}},
      {1024, {{16384, knomial}, {32768, split_binary}, {.name = knomial}}},
      {2048, {{524288, knomial}, {.name = scatter_allgather}}},
      {4096, {{262144, knomial}, {.name = scatter_allgather}}},
      {INT_MAX, {{8192, knomial}, {16384, binary}, {262144, knomial}, {.name = scatter_allgather}}},
  };
  return table;
}

Choice choose_open_mpi_tuned_broadcast(int ranks, std::size_t items, const Options& options) {
  const std::uint64_t bytes = bytes_of(items, options);
  const std::string_view name = open_mpi::look_up(broadcast_rules(), ranks, bytes);
  return {name, name == chain ? std::max<std::size_t>(1, bytes) : 0};
}

constexpr Selection open_mpi_tuned_broadcast = {
    .collective = "broadcast",
    .name = "open_mpi_tuned",
    .summary = "as Open MPI 4.1 chooses by ranks and size (coll tuned)",
    .choose = choose_open_mpi_tuned_broadcast,
};

}  // namespace

Algorithm describe_open_mpi_tuned_broadcast() {
  return selector<open_mpi_tuned_broadcast>({"root"});
}

}  // namespace ringscope
