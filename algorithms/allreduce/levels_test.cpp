// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the allreduces of two levels send each vector, or chunk, as often as their parts do, and step
// by step?
#include "algorithms/collective_cases_for_test.hpp"
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

TEST(TwoLevel, equal_hosts_take_the_steps_of_all_levels_in_sequence) {
  for (std::string_view inside : names)
    for (std::string_view between : names)
      for (int count : {1, 2, 3, 4})
        for (int size : {1, 2, 3, 5, 8}) {
          SCOPED_TRACE(testing::Message() << count << " hosts of " << size << ", " << inside
                                          << " inside, " << between << " between");
          const std::vector<int> hosts = even_hosts(count, size);
          const Options options = {
              .segment = 4, .inside = inside, .between = between, .given = {.hosts = &hosts}};
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
  const Options options = {.given = {.hosts = &hosts}};
  // Rings of 3, 2 and 1 inside; a ring of 3 between; then 2 + 1 + 0 vectors back.
  EXPECT_EQ(two_level().cost(6, 60, options).items, (2 * 2 + 2 * 1 + 2 * 2 + 2 + 1) * 60u);
}

TEST(TwoLevel, without_hosts_is_what_it_runs_between) {
  EXPECT_EQ(two_level().cost(7, 70, {.between = "rabenseifner"}),
            allreduce("rabenseifner").cost(7, 70, {}));
}

TEST(TwoLevel, on_one_host_is_what_it_runs_inside_and_a_broadcast) {
  const std::vector<int> hosts(4, 0);
  EXPECT_EQ(
      two_level().cost(4, 40, {.inside = "recursive_doubling", .given = {.hosts = &hosts}}).steps,
      2 + 2);
}

TEST(TwoLevel, has_as_many_threads_as_its_levels_need) {
  EXPECT_EQ(threads_of(two_level(), {}), 1);
  EXPECT_EQ(threads_of(two_level(), {.between = "ring_two_threads"}), 2);
  EXPECT_EQ(threads_of(two_level(), {.threads = 3, .inside = "ring_threads"}), 3);
}

TEST(TwoLevel, can_have_levels_of_two_levels) {
  const std::vector<int> hosts = even_hosts(3, 2);
  const Options options = {
      .inside = "two_level", .between = "two_level", .given = {.hosts = &hosts}};
  EXPECT_THAT(run_loopback(two_level(), 6, 20, options, item_of).data,
              testing::Each(sum_of_all(6, 20)));
}

TEST(TwoLevel, refuses_a_name_that_is_no_allreduce) {
  EXPECT_THROW(two_level().cost(4, 4, {.inside = "no_such"}), std::invalid_argument);
}

}  // namespace
}  // namespace ringscope::two_level_test

namespace ringscope::leaders_test {
namespace {

const Algorithm& allreduce(std::string_view name) { return *find_algorithm("allreduce", name); }

/// `count` hosts with `size` ranks each.
std::vector<int> hosts_of(int count, int size) {
  std::vector<int> hosts;
  for (int rank = 0; rank < count * size; ++rank) hosts.push_back(rank / size);
  return hosts;
}

TEST(Leaders, reduce_inside_allreduce_between_and_broadcast_inside) {
  for (std::string_view between : {"ring", "recursive_doubling", "rabenseifner"})
    for (int count : {2, 3, 4})
      for (int size : {2, 3, 8}) {
        const std::vector<int> hosts = hosts_of(count, size);
        const Options options = {.between = between, .given = {.hosts = &hosts}};
        const Cost among = allreduce(between).cost(count, 90, {});
        const auto inside = static_cast<std::uint64_t>(2 * count * (size - 1));
        EXPECT_EQ(
            allreduce("leaders").cost(count * size, 90, options),
            (Cost{2 * doublings(size) + among.steps,
                  static_cast<std::int64_t>(inside) + among.messages, 90 * inside + among.items}));
        EXPECT_EQ(
            run_loopback(allreduce("leaders"), count * size, 90, options, item_of).counted.steps,
            2 * doublings(size) + among.steps);
      }
}

// K segments of a vector of S items, none with a number for each host: inside and between, each
// rank but the first of each tree sends each segment once up, and receives it once back.
TEST(Han, sends_each_segment_once_up_and_once_down_each_tree) {
  const int count = 3, size = 4;
  const std::size_t items = 100, segment = 30, segments = 4;
  const std::vector<int> hosts = hosts_of(count, size);
  const Cost cost = allreduce("han").cost(
      count * size, items, {.segment = segment, .number_bytes = 100, .given = {.hosts = &hosts}});
  const std::size_t edges = count * (size - 1) + (count - 1);
  EXPECT_EQ(cost.messages, static_cast<std::int64_t>(2 * edges * segments));
  EXPECT_EQ(cost.items, 2 * edges * items);
}

TEST(Han, one_segment_takes_four_phases_in_sequence) {
  for (int count : {2, 4, 8}) {
    const int size = 4;
    const std::vector<int> hosts = hosts_of(count, size);
    const Options options = {.segment = 50, .number_bytes = 100, .given = {.hosts = &hosts}};
    const int back = count <= 4 ? count - 1 : doublings(count);
    const std::int64_t steps = 2 * doublings(size) + doublings(count) + back;
    EXPECT_EQ(allreduce("han").cost(count * size, 50, options).steps, steps);
    EXPECT_EQ(run_loopback(allreduce("han"), count * size, 50, options, item_of).counted.steps,
              steps);
  }
}

// As Open MPI 4.1.4 sends them: five hosts fold one pair by halves, 4 * 2 + 3 + 3 messages, and
// broadcast along a binomial tree; three broadcast flat, 2 * 1 + 1 + 3 messages.
TEST(Han, reduces_between_hosts_by_halving_where_each_has_a_number) {
  for (const auto& [count, up] : {std::pair{5, 14}, {3, 6}}) {
    const std::vector<int> hosts = hosts_of(count, 2);
    EXPECT_EQ(allreduce("han").cost(2 * count, 65536, {.given = {.hosts = &hosts}}).messages,
              2 * count + up + count - 1);
    EXPECT_EQ(allreduce("han").cost(2 * count, 4, {.given = {.hosts = &hosts}}).messages,
              2 * count + 2 * (count - 1));
  }
}

// The leader of the only full host is no first one: it needs room for both its sums all the same.
TEST(Han, has_room_where_the_first_host_has_one_rank) {
  for (const std::vector<int>& hosts :
       {std::vector<int>{0, 1, 1}, {0, 1, 1, 1, 2, 3, 3}, {0, 1, 2, 2}}) {
    const Options options = {.segment = 30, .number_bytes = 100, .given = {.hosts = &hosts}};
    const auto ranks = static_cast<int>(hosts.size());
    EXPECT_EQ(run_loopback(allreduce("han"), ranks, 100, options, item_of).counted.messages,
              allreduce("han").cost(ranks, 100, options).messages);
  }
}

}  // namespace
}  // namespace ringscope::leaders_test

namespace ringscope::hierarchical_test {
namespace {

const Algorithm& allreduce(std::string_view name) { return *find_algorithm("allreduce", name); }
const Algorithm& hierarchical() { return allreduce("hierarchical"); }

std::vector<int> hosts_of(int count, int size) {
  std::vector<int> hosts;
  for (int rank = 0; rank < count * size; ++rank) hosts.push_back(rank / size);
  return hosts;
}

// On H hosts of k ranks: k - 1 steps to scatter, 2(H - 1) between hosts, k - 1 to gather; each host
// moves 2(k - 1) vectors inside, and 2(H - 1) vectors cross between hosts, 1/k of each on a rail.
TEST(Hierarchical, scatters_inside_sums_on_each_rail_and_gathers_inside) {
  for (int count : {1, 2, 3, 4})
    for (int size : {1, 2, 3, 8}) {
      SCOPED_TRACE(testing::Message() << count << " hosts of " << size);
      const std::vector<int> hosts = hosts_of(count, size);
      const Options options = {.given = {.hosts = &hosts}};
      const std::int64_t steps = 2 * (size - 1) + 2 * (count - 1);
      const std::int64_t messages = 2 * count * size * (size - 1) + 2 * size * count * (count - 1);
      const auto vectors = static_cast<std::uint64_t>(2 * count * (size - 1) + 2 * (count - 1));
      const Cost cost = hierarchical().cost(count * size, 240, options);
      EXPECT_EQ(cost, (Cost{steps, messages, 240 * vectors}));
      EXPECT_EQ(run_loopback(hierarchical(), count * size, 240, options, item_of).counted.steps,
                steps);
    }
}

TEST(Hierarchical, sums_chunks_that_differ_in_size) {
  const std::vector<int> hosts = hosts_of(3, 4);
  for (std::string_view between : {"ring", "recursive_doubling", "rabenseifner"})
    for (std::size_t items : {1u, 3u, 10u, 43u}) {
      const Options options = {.between = between, .given = {.hosts = &hosts}};
      const auto run = run_loopback(hierarchical(), 12, items, options, item_of);
      EXPECT_THAT(run.data, testing::Each(sum_of_all(12, items)));
      EXPECT_EQ(run.counted.items, hierarchical().cost(12, items, options).items);
    }
}

TEST(Hierarchical, unequal_hosts_run_the_inter_host_algorithm) {
  const std::vector<int> hosts = {0, 0, 0, 1, 1, 2};
  EXPECT_EQ(hierarchical().cost(6, 60, {.between = "rabenseifner", .given = {.hosts = &hosts}}),
            allreduce("rabenseifner").cost(6, 60, {}));
  EXPECT_THAT(run_loopback(hierarchical(), 6, 60, {.given = {.hosts = &hosts}}, item_of).data,
              testing::Each(sum_of_all(6, 60)));
}

TEST(Hierarchical, takes_hosts_whose_ranks_are_numbered_in_turn) {
  const std::vector<int> hosts = {0, 1, 2, 0, 1, 2};
  const Options options = {.given = {.hosts = &hosts}};
  EXPECT_EQ(hierarchical().cost(6, 60, options).steps, 2 * 1 + 2 * 2);
  EXPECT_THAT(run_loopback(hierarchical(), 6, 60, options, item_of).data,
              testing::Each(sum_of_all(6, 60)));
}

}  // namespace
}  // namespace ringscope::hierarchical_test
