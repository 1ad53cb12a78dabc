// MPI_Allreduce as Open MPI 4.1's component `tuned` chooses it, without files or parameters of the
// user's, for commutative operations.
//
// Source: Open MPI 4.1.x, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c,
// ompi_coll_tuned_allreduce_intra_dec_fixed; its segmented ring is given no segment size there and
// runs as a ring. Rings need an item per rank, as in coll_base_allreduce.c. From 128 ranks on its
// non-overlapping algorithm (a reduce, then a broadcast) is replaced by recursive doubling here.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/selector.hpp"

namespace ringscope {
namespace {

constexpr std::string_view doubling = "recursive_doubling", halving = "rabenseifner";
constexpr std::string_view reduce_then_broadcast = doubling;

struct RanksRule {
  int below;
  std::vector<SizeRule> sizes;  ///< by rising size; the last one takes the rest
};

const std::vector<RanksRule>& rules() {
  constexpr std::string_view ring = "ring";
  static const std::vector<RanksRule> table = {
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
      {INT32_MAX,
       {{2048, reduce_then_broadcast}, {16384, ring}, {32768, doubling}, {.name = halving}}},
  };
  return table;
}

Choice choose(int ranks, std::size_t items, std::uint64_t bytes) {
  const auto rule = std::find_if(rules().begin(), rules().end(),
                                 [&](const RanksRule& row) { return ranks < row.below; });
  const auto size = std::find_if(rule->sizes.begin(), rule->sizes.end(),
                                 [&](const SizeRule& row) { return bytes < row.below; });
  const bool too_short = size->name == "ring" && items < static_cast<std::size_t>(ranks);
  return {too_short ? doubling : size->name};
}

}  // namespace

Algorithm describe_open_mpi_tuned_allreduce() {
  return allreduce_selector<choose>("open_mpi_tuned",
                                    "as Open MPI 4.1 chooses by ranks and size (coll tuned)");
}

}  // namespace ringscope
