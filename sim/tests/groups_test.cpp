// SPDX-License-Identifier: LGPL-2.1-or-later
// Do groups of ranks that work at the same time share links, and nothing else?
#include "algorithms/groups/on_group.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::groups_test {
namespace {

class Groups : public SimulationTest {};

constexpr double bytes = 8e6, bandwidth = 1e9;

/// Nothing but bytes takes time. With racks, the first half of the ranks is in the first one, and
/// its uplink is as fast as one host's cable.
Scenario hosts(int count, const std::string& network = "star") {
  const std::string of_hosts = std::to_string(count), of_rack = std::to_string(count / 2);
  const std::string size = network == "star"
                               ? "hosts: " + of_hosts
                               : "racks: 2, hosts_per_rack: " + of_rack +
                                     ", oversubscription: " + of_rack + ", uplink: {latency: 0 s}";
  std::string placement = "1";
  for (int host = 1; host < count; ++host) placement += "-1";
  return scenario_of("cluster: {network: " + network + ", " + size +
                     R"(, link: {bandwidth: 1 GB/s, latency: 0 s}, host: {type: simple, cores: 2}}
library: {base: ideal, network: {latency: 0 s, eager_limit: 0 B, driver: nic}, progress: nic}
placement: )" + placement +
                     "\njob: {collective: exchange, algorithm: bidirectional, bytes: 8 MB}\n");
}

Task ring(Communicator comm, Workspace work, Options options) {
  co_await on_group(comm, *find_algorithm("allreduce", "ring"), work, options);
}

/// Rings of four neighbours each.
Task rings_of_four(Communicator comm, Workspace work, Options options) {
  co_await ring(co_await comm.split(comm.rank() / 4, comm.rank()), work, options);
}

// 2(p-1) chunks of n/p, as of one ring alone.
TEST_F(Groups, concurrent_groups_on_disjoint_hosts_take_the_time_of_one) {
  const Report two = run(hosts(8), rings_of_four);
  for (int rank = 0; rank < 8; ++rank)
    expect_seconds(finish(two, rank), 2 * 3 * (bytes / 4) / bandwidth);
}

/// Ranks of the other rack in a row: 0 4, 1 5.
Task pairs(Communicator comm, Workspace work, int how_many) {
  const int place = comm.rank() % 4;
  const Communicator pair = co_await comm.split(place, comm.rank());
  if (place >= how_many) co_return;
  co_await pair.sendrecv(work.data, pair.next(), work.scratch, pair.prev());
}

TEST_F(Groups, group_with_an_exclusive_uplink_has_its_full_bandwidth) {
  const Text one = [](Communicator comm, Workspace work, Options) { return pairs(comm, work, 1); };
  expect_seconds(finish(run(hosts(8, "two_level"), one), 4), bytes / bandwidth);
}

TEST_F(Groups, two_groups_on_an_uplink_have_half_each) {
  const Text two = [](Communicator comm, Workspace work, Options) { return pairs(comm, work, 2); };
  const Report both = run(hosts(8, "two_level"), two);
  for (const int rank : {0, 1, 4, 5}) expect_seconds(finish(both, rank), 2 * bytes / bandwidth);
}

// A split takes no time, but everybody waits for the last one.
TEST_F(Groups, are_there_when_the_last_rank_has_asked) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    co_await comm.compute(Duration(comm.rank()));
    co_await comm.split(0, 0);
  };
  const Report report = run(hosts(4), text);
  for (int rank = 0; rank < 4; ++rank) expect_seconds(finish(report, rank), 3);
}

// Rank 1 posts its receives before anything is there; the last message is the first one's.
TEST_F(Groups, never_take_each_others_messages) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    const Communicator one = co_await comm.split(0, comm.rank());
    const Communicator two = co_await comm.split(0, comm.rank());
    const Range half = work.data.part(0, 2), other = work.data.part(1, 2);
    if (comm.rank() == 0) {
      co_await comm.compute(Duration(1));
      co_await two.send(half, 1);
      co_await comm.compute(Duration(1));
      co_await one.send(other, 1);
    } else if (comm.rank() == 1) {
      const Request first = one.irecv(other, any_source);
      co_await two.recv(half, any_source);
      co_await comm.compute(Duration(10));
      co_await one.wait(first);
    }
  };
  const Report report = run(hosts(2), text);
  const double message = bytes / 2 / bandwidth;
  expect_seconds(finish(report, 1), 1 + message + 10);
}

TEST_F(Groups, unfinished_splits_are_reported_in_a_deadlock) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    if (comm.rank() == 0) co_await comm.split(0, 0);
  };
  try {
    run(hosts(2), text);
    FAIL() << "rank 1 never splits";
  } catch (const DeadlockError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("rank 0 waits for all 2 ranks of its communicator to split it"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ringscope::groups_test
