// Do the collectives that spread chunks leave each rank with what it is due: all chunks after an
// allgather, its own one summed after a reduce-scatter, a piece from everybody after an all-to-all?
#include "algorithms/collective_cases.hpp"
#include "algorithms/steps/pieces.hpp"

namespace ringscope {
namespace {

class Allgather : public testing::TestWithParam<Algorithm> {};
class ReduceScatter : public testing::TestWithParam<Algorithm> {};
class Alltoall : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(catalogue, Allgather, testing::ValuesIn(algorithms_of("allgather")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, ReduceScatter,
                         testing::ValuesIn(algorithms_of("reduce_scatter")), test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, Alltoall, testing::ValuesIn(algorithms_of("alltoall")),
                         test_name);

TEST_P(Allgather, every_rank_has_each_ranks_chunk) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    std::vector<float> all;
    for (int rank = 0; rank < run.ranks; ++rank) {
      const auto chunk = chunk_of(vector_of(rank, run.items), rank, run.ranks);
      all.insert(all.end(), chunk.begin(), chunk.end());
    }
    EXPECT_THAT(run.result.data, testing::Each(all));
  });
}

TEST_P(ReduceScatter, each_rank_has_the_sum_of_its_chunk) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    const auto sum = sum_of_all(run.ranks, run.items);
    for (int rank = 0; rank < run.ranks; ++rank)
      EXPECT_EQ(run.chunk(rank, rank), chunk_of(sum, rank, run.ranks));
  });
}

TEST_P(Alltoall, each_rank_has_its_chunk_of_everybody) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    for (int to = 0; to < run.ranks; ++to) {
      const auto& scratch = run.result.scratch[static_cast<std::size_t>(to)];
      const Pieces pieces = {{}, run.chunk(to, to).size()};
      for (int from = 0; from < run.ranks; ++from) {
        const auto begin = scratch.begin() + static_cast<std::ptrdiff_t>(pieces[from].offset);
        EXPECT_EQ(std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(pieces.size)),
                  chunk_of(vector_of(from, run.items), to, run.ranks));
      }
    }
  });
}

TEST_P(Alltoall, vectors_stay_as_they_are) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    for (int rank = 0; rank < run.ranks; ++rank)
      EXPECT_EQ(run.data(rank), vector_of(rank, run.items));
  });
}

}  // namespace
}  // namespace ringscope
