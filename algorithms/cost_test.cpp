// Does every algorithm take the steps, the messages, the items on the wire and the scratch space
// that it declares?
#include "algorithms/catalogue_cases.hpp"

namespace ringscope {

void PrintTo(const Cost& cost, std::ostream* out) {
  *out << cost.steps << " steps, " << cost.messages << " messages, " << cost.items << " items";
}

namespace {

class Costs : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(catalogue, Costs, testing::ValuesIn(algorithms_of()), test_name);

void expect_declared(const Algorithm& algorithm, int ranks, std::size_t items,
                     const Options& options) {
  for (const LoopbackOptions& how : ways_to_run(algorithm)) {
    SCOPED_TRACE(testing::Message()
                 << "ranks " << ranks << ", items " << items << ", segment " << options.segment
                 << ", rounds " << options.rounds << ", synchronous " << how.synchronous_sends
                 << ", seed " << how.seed);
    const auto result = run_loopback(algorithm, ranks, items, options, item_of, how);
    EXPECT_EQ(result.counted, algorithm.cost(ranks, items, options));
    EXPECT_EQ(result.scratch_used, algorithm.scratch_items(ranks, items, options));
  }
}

TEST_P(Costs, counted_is_declared) {
  for (int ranks = GetParam().least_ranks; ranks <= 17; ++ranks)
    for (std::size_t items : sizes_for(ranks))
      for (const Options& options : options_for(GetParam()))
        expect_declared(GetParam(), ranks, items, options);
}

TEST_P(Costs, counted_is_declared_for_many_ranks) { expect_declared(GetParam(), 64, 1000, {}); }

// The formulas of the papers, written out once for one case: P = 8, S = 80.
TEST(DeclaredCost, is_that_of_the_source) {
  const auto cost = [](std::string_view collective, std::string_view name) {
    return find_algorithm(collective, name)->cost(8, 80, {.segment = 5});
  };
  EXPECT_EQ(cost("allreduce", "ring"), (Cost{2 * 7, 2 * 7 * 8, 2 * 7 * 80}));
  EXPECT_EQ(cost("allreduce", "ring_segmented"), (Cost{2 * 7 * 2, 2 * 7 * 8 * 2, 2 * 7 * 80}));
  EXPECT_EQ(cost("allreduce", "recursive_doubling"), (Cost{3, 3 * 8, 3 * 8 * 80}));
  EXPECT_EQ(cost("allreduce", "rabenseifner"), (Cost{2 * 3, 2 * 3 * 8, 2 * 7 * 80}));
  EXPECT_EQ(cost("barrier", "dissemination"), (Cost{3, 3 * 8, 0}));
  EXPECT_EQ(cost("pingpong", "blocking"), (Cost{2, 2, 2 * 80}));
  EXPECT_EQ(cost("exchange", "bidirectional"), (Cost{1, 8, 8 * 80}));
}

}  // namespace
}  // namespace ringscope
