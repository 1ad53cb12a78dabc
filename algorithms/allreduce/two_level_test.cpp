// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the two-level allreduce do on each level what it was told, and cost what its parts cost?
#include "algorithms/collective_cases.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope::two_level_test {
namespace {

const Algorithm& two_level() { return *find_algorithm("allreduce", "two_level"); }
const Algorithm& allreduce(std::string_view name) { return *find_algorithm("allreduce", name); }

/// `count` hosts with `size` ranks each.
std::vector<int> even_hosts(int count, int size) {
  std::vector<int> hosts;
  for (int rank = 0; rank < count * size; ++rank) hosts.push_back(rank / size);
  return hosts;
}

constexpr std::string_view names[] = {"ring", "recursive_doubling", "rabenseifner",
                                      "ring_segmented", "ring_two_threads"};

TEST(TwoLevel, of_even_hosts_takes_the_steps_of_its_levels_one_after_the_other) {
  for (std::string_view inside : names)
    for (std::string_view between : names)
      for (int count : {1, 2, 3, 4})
        for (int size : {1, 2, 3, 5, 8}) {
          SCOPED_TRACE(testing::Message() << count << " hosts of " << size << ", " << inside
                                          << " inside, " << between << " between");
          const std::vector<int> hosts = even_hosts(count, size);
          const Options options = {
              .segment = 4, .inside = inside, .between = between, .hosts = &hosts};
          const std::int64_t steps = allreduce(inside).cost(size, 90, options).steps +
                                     allreduce(between).cost(count, 90, options).steps +
                                     doublings(size);
          EXPECT_EQ(two_level().cost(count * size, 90, options).steps, steps);
          EXPECT_EQ(run_loopback(two_level(), count * size, 90, options, item_of).counted.steps,
                    steps);
        }
}

TEST(TwoLevel, takes_the_sum_of_all_hosts_items) {
  const std::vector<int> hosts = {0, 0, 0, 1, 1, 2};
  const Options options = {.hosts = &hosts};
  // Rings of 3, 2 and 1 inside; a ring of 3 between; then 2 + 1 + 0 vectors back.
  EXPECT_EQ(two_level().cost(6, 60, options).items, (2 * 2 + 2 * 1 + 2 * 2 + 2 + 1) * 60u);
}

TEST(TwoLevel, without_hosts_is_what_it_runs_between) {
  EXPECT_EQ(two_level().cost(7, 70, {.between = "rabenseifner"}),
            allreduce("rabenseifner").cost(7, 70, {}));
}

TEST(TwoLevel, on_one_host_is_what_it_runs_inside_and_a_broadcast) {
  const std::vector<int> hosts(4, 0);
  EXPECT_EQ(two_level().cost(4, 40, {.inside = "recursive_doubling", .hosts = &hosts}).steps,
            2 + 2);
}

TEST(TwoLevel, has_as_many_threads_as_its_levels_need) {
  EXPECT_EQ(threads_of(two_level(), {}), 1);
  EXPECT_EQ(threads_of(two_level(), {.between = "ring_two_threads"}), 2);
  EXPECT_EQ(threads_of(two_level(), {.threads = 3, .inside = "ring_threads"}), 3);
}

TEST(TwoLevel, can_have_levels_of_two_levels) {
  const std::vector<int> hosts = even_hosts(3, 2);
  const Options options = {.inside = "two_level", .between = "two_level", .hosts = &hosts};
  EXPECT_THAT(run_loopback(two_level(), 6, 20, options, item_of).data,
              testing::Each(sum_of_all(6, 20)));
}

TEST(TwoLevel, refuses_a_name_that_is_no_allreduce) {
  EXPECT_THROW(two_level().cost(4, 4, {.inside = "binomial"}), std::invalid_argument);
}

}  // namespace
}  // namespace ringscope::two_level_test
