// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the allreduces by the hosts' leaders send each vector once between hosts and step by step?
#include "algorithms/collective_cases.hpp"
#include "algorithms/steps/tree_ranks.hpp"

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
        const Options options = {.between = between, .hosts = &hosts};
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
      count * size, items, {.segment = segment, .number_bytes = 100, .hosts = &hosts});
  const std::size_t edges = count * (size - 1) + (count - 1);
  EXPECT_EQ(cost.messages, static_cast<std::int64_t>(2 * edges * segments));
  EXPECT_EQ(cost.items, 2 * edges * items);
}

TEST(Han, of_one_segment_takes_the_four_parts_one_after_the_other) {
  for (int count : {2, 4, 8}) {
    const int size = 4;
    const std::vector<int> hosts = hosts_of(count, size);
    const Options options = {.segment = 50, .number_bytes = 100, .hosts = &hosts};
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
    EXPECT_EQ(allreduce("han").cost(2 * count, 65536, {.hosts = &hosts}).messages,
              2 * count + up + count - 1);
    EXPECT_EQ(allreduce("han").cost(2 * count, 4, {.hosts = &hosts}).messages,
              2 * count + 2 * (count - 1));
  }
}

// The leader of the only full host is no first one: it needs room for both its sums all the same.
TEST(Han, has_room_where_the_first_host_has_one_rank) {
  for (const std::vector<int>& hosts :
       {std::vector<int>{0, 1, 1}, {0, 1, 1, 1, 2, 3, 3}, {0, 1, 2, 2}}) {
    const Options options = {.segment = 30, .number_bytes = 100, .hosts = &hosts};
    const auto ranks = static_cast<int>(hosts.size());
    EXPECT_EQ(run_loopback(allreduce("han"), ranks, 100, options, item_of).counted.messages,
              allreduce("han").cost(ranks, 100, options).messages);
  }
}

}  // namespace
}  // namespace ringscope::leaders_test
