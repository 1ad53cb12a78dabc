// Does every collective with a root bring it, or bring from it, what its name promises?
#include "algorithms/collective_cases.hpp"

namespace ringscope {
namespace {

class Broadcast : public testing::TestWithParam<Algorithm> {};
class Reduce : public testing::TestWithParam<Algorithm> {};
class Scatter : public testing::TestWithParam<Algorithm> {};
class Gather : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(catalogue, Broadcast, testing::ValuesIn(algorithms_of("broadcast")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, Reduce, testing::ValuesIn(algorithms_of("reduce")), test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, Scatter, testing::ValuesIn(algorithms_of("scatter")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, Gather, testing::ValuesIn(algorithms_of("gather")), test_name);

TEST_P(Broadcast, every_rank_has_the_roots_vector) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    EXPECT_THAT(run.result.data, testing::Each(vector_of(run.options.root, run.items)));
  });
}

TEST_P(Reduce, the_root_has_the_sum) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    EXPECT_EQ(run.data(run.options.root), sum_of_all(run.ranks, run.items));
  });
}

TEST_P(Scatter, each_rank_has_its_chunk_of_the_roots_vector) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    const auto vector = vector_of(run.options.root, run.items);
    for (int rank = 0; rank < run.ranks; ++rank)
      EXPECT_EQ(run.chunk(rank, rank), chunk_of(vector, rank, run.ranks));
  });
}

TEST_P(Scatter, the_root_keeps_its_vector) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    EXPECT_EQ(run.data(run.options.root), vector_of(run.options.root, run.items));
  });
}

TEST_P(Gather, the_root_has_each_ranks_chunk) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    for (int rank = 0; rank < run.ranks; ++rank)
      EXPECT_EQ(run.chunk(rank, run.options.root),
                chunk_of(vector_of(rank, run.items), rank, run.ranks));
  });
}

}  // namespace
}  // namespace ringscope
