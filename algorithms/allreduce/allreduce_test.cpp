// Does every allreduce leave the sum of all vectors on every rank?
#include "algorithms/collective_cases.hpp"

namespace ringscope {
namespace {

class Allreduce : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(catalogue, Allreduce, testing::ValuesIn(algorithms_of("allreduce")),
                         test_name);

void expect_sums(const Algorithm& algorithm, int ranks, std::size_t items, const Options& options) {
  for (const LoopbackOptions& how : ways_to_run(algorithm)) {
    SCOPED_TRACE(testing::Message()
                 << "ranks " << ranks << ", items " << items << ", segment " << options.segment
                 << ", rings " << options.rings << ", threads " << options.threads << ", inside "
                 << options.inside << ", synchronous " << how.synchronous_sends << ", seed "
                 << how.seed);
    const auto result = run_loopback(algorithm, ranks, items, options, item_of, how);
    EXPECT_THAT(result.data, testing::Each(sum_of_all(ranks, items)));
  }
}

TEST_P(Allreduce, every_rank_has_the_sum) {
  for (int ranks = GetParam().least_ranks; ranks <= 17; ++ranks)
    for (std::size_t items : sizes_for(ranks))
      for (const Options& options : options_for(GetParam(), ranks))
        expect_sums(GetParam(), ranks, items, options);
}

TEST_P(Allreduce, takes_many_ranks) { expect_sums(GetParam(), 61, 61 * 5 + 3, {}); }

TEST_P(Allreduce, nobody_ends_before_it_has_heard_from_all) {
  for (int ranks : {1, 2, 3, 6, 8, 13}) {
    const auto result = run_loopback(GetParam(), ranks, 40, {}, item_of);
    EXPECT_THAT(result.heard, testing::Each(testing::Each(true))) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace ringscope
