// SPDX-License-Identifier: LGPL-2.1-or-later
// Do jobs that run side by side share what they both use, and nothing else?
#include <fmt/format.h>

#include "sim/tests/scenario_for_test.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::neighbours_test {
namespace {

// One message takes m / B on a star without latency, software or memory.
constexpr double bandwidth = 1e9;
constexpr double message = 64.0 * 1024 * 1024;
constexpr double one_message = message / bandwidth;

const std::string star =
    "cluster: {network: star, hosts: 4, link: {bandwidth: 1 GB/s, latency: 0 s},\n"
    "          host: {type: simple, cores: 4}}\n"
    "library: ideal\n";
const std::string broadcast = "{collective: broadcast, algorithm: flat, bytes: 64 MiB}";
const std::string ring = "{collective: allreduce, algorithm: ring, bytes: 4 MiB}";

/// The foreground job, and the background jobs as lines "name: {...}".
Scenario beside(const std::string& placement, const std::string& job,
                const std::vector<std::string>& neighbours, const std::string& machine = star) {
  std::string yaml = fmt::format("{}placement: {}\njob: {}\n", machine, placement, job);
  if (!neighbours.empty()) yaml += "neighbours:\n";
  for (const std::string& one : neighbours) yaml += "  " + one + "\n";
  return scenario_of(yaml);
}

Report fluid(const Scenario& scenario) {
  RunOptions options;
  options.kernel = "fluid";
  return simulate(scenario, options);
}

TEST(JobsOnHostsOfTheirOwn, TakeWhatEachTakesAlone) {
  const std::string machine = "cluster: {base: rack3, hosts: 4}\nlibrary: slow_tcp\n";
  const std::string other = "{collective: allreduce, algorithm: rabenseifner, bytes: 1 MiB}";
  const Report alone = fluid(beside("2-3", ring, {}, machine));
  const Report other_alone = fluid(beside("0-0-1-4", other, {}, machine));
  const Report both = fluid(
      beside("2-3", ring, {fmt::format("other: {{placement: 0-0-1-4, repeat: 1, job: {}}}", other)},
             machine));
  expect_seconds(both.time_s, alone.time_s);
  ASSERT_EQ(both.neighbours.size(), 1u);
  expect_seconds(both.neighbours[0].time_s, other_alone.time_s);
  EXPECT_EQ(both.messages, alone.messages);
  EXPECT_EQ(both.bytes_between_hosts, alone.bytes_between_hosts);
  ASSERT_EQ(both.rank_reports.size(), alone.rank_reports.size());
  for (std::size_t rank = 0; rank < alone.rank_reports.size(); ++rank)
    expect_seconds(both.rank_reports[rank].finish_s, alone.rank_reports[rank].finish_s);
  ASSERT_EQ(both.phases.size(), alone.phases.size());
  EXPECT_EQ(both.path.front().resource, alone.path.front().resource);
}

// Both go out of host 0: each has half of its NIC.
TEST(JobsThroughOneNic, TakeAsLongAsOneOfTwiceTheBytes) {
  const Report both = fluid(
      beside("1-1", broadcast, {fmt::format("other: {{placement: 1-0-1, job: {}}}", broadcast)}));
  expect_seconds(both.time_s, 2 * one_message);
  expect_seconds(both.neighbours[0].time_s, 2 * one_message);
  EXPECT_EQ(both.neighbours[0].rounds, 1);
  expect_seconds(slowest_job_s(both), 2 * one_message);
  expect_seconds(mean_job_s(both), 2 * one_message);
}

// A link's two directions are two resources.
TEST(JobsThatGoOppositeWays, DoNotNoticeEachOther) {
  const std::string other =
      "other: {placement: [{host: 1}, {host: 0}], repeat: 1, job: " + broadcast + "}";
  expect_seconds(fluid(beside("1-1", broadcast, {other})).time_s, one_message);
}

// The background job has sent half of its message alone when the job begins to share: the job then
// has half of the NIC for one message of its own, if the background job has as much left.
TEST(NeighboursThatStartLater, ShareFromThenOn) {
  const std::string other = fmt::format(
      "other: {{placement: 1-0-1, repeat: 1, start: {} s, job: {}}}", one_message / 2, broadcast);
  const Report both = fluid(beside("1-1", broadcast, {other}));
  // Half alone, the other half at half the rate; the background job then has half left, alone.
  expect_seconds(both.time_s, 1.5 * one_message);
  expect_seconds(both.neighbours[0].time_s, 1.5 * one_message);
  expect_seconds(both.neighbours[0].end_s, 2 * one_message);
}

// Messages of 3/8 of the size go round while the job's is in flight, at half the rate: the third
// one has a third of its bytes left when the job has ended, and then the NIC for itself.
TEST(NeighboursInALoop, BeginNoRoundWhenTheJobHasEnded) {
  const std::string part = "{collective: broadcast, algorithm: flat, bytes: 24 MiB}";
  const Report both =
      fluid(beside("1-1", broadcast, {fmt::format("other: {{placement: 1-0-1, job: {}}}", part)}));
  expect_seconds(both.time_s, 2 * one_message);
  EXPECT_EQ(both.neighbours[0].rounds, 3);
  expect_seconds(both.neighbours[0].end_s, (2 + 1.0 / 8) * one_message);
  expect_seconds(both.neighbours[0].time_s, (2 + 1.0 / 8) * one_message / 3);
  EXPECT_EQ(both.messages, 1u);
}

TEST(NeighboursThatRepeat, DoSoWithoutWaitingForTheJob) {
  const Report both =
      fluid(beside("1-1", broadcast,
                   {fmt::format("other: {{placement: 0-0-1-1, repeat: 5, job: {}}}", broadcast)}));
  expect_seconds(both.time_s, one_message);
  EXPECT_EQ(both.neighbours[0].rounds, 5);
  expect_seconds(both.neighbours[0].end_s, 5 * one_message);
}

TEST(NeighboursOfAnyKind, HaveTheirOwnRanks) {
  for (const std::string job :
       {"{collective: parameter_server, algorithm: multicast, bytes: 1 MiB}",
        "{collective: allreduce, algorithm: two_level, bytes: 1 MiB}",
        "{collective: allreduce, algorithm: ring_two_threads, bytes: 1 MiB}",
        "{collective: allreduce, algorithm: ring, bytes: 1 MiB, overlap: 1 ms}",
        "{collective: training, algorithm: horovod, options: {model: resnet50, steps: 2}}"}) {
    SCOPED_TRACE(job);
    const Report alone = fluid(beside("0-0-2-2", job, {}));
    const Report both = fluid(
        beside("1-1", ring, {fmt::format("it: {{placement: 0-0-2-2, repeat: 1, job: {}}}", job)}));
    expect_seconds(both.neighbours[0].time_s, alone.time_s);
  }
}

TEST(ANeighbourInALoop, EndsBesideAJobThatIsStuck) {
  Scenario scenario = beside("1-1", broadcast, {"other: {placement: 0-0-1-1, job: " + ring + "}"});
  Algorithm stuck = *scenario.job.algorithm;
  stuck.run = [](Communicator comm, Workspace work, Options) -> Task {
    co_await comm.recv(work.data, comm.next());
  };
  scenario.job.algorithm = &stuck;
  EXPECT_THROW(fluid(scenario), DeadlockError);
}

TEST(AStuckNeighbour, IsNamed) {
  Scenario scenario =
      beside("1-1", broadcast, {"other: {placement: 0-0-1-1, job: " + broadcast + "}"});
  Algorithm stuck = *scenario.neighbours[0].job.algorithm;
  stuck.run = [](Communicator comm, Workspace work, Options) -> Task {
    co_await comm.recv(work.data, comm.next());
  };
  scenario.neighbours[0].job.algorithm = &stuck;
  try {
    fluid(scenario);
    FAIL() << "no deadlock";
  } catch (const DeadlockError& error) {
    EXPECT_EQ(std::string(error.what()),
              "deadlock at 67.11 ms: rank 0 of other waits for 64 MiB from rank 1 of other "
              "(broadcast/flat); rank 1 of other waits for 64 MiB from rank 0 of other "
              "(broadcast/flat)\nrank 0 of other -> rank 1 of other -> rank 0 of other wait for "
              "each other");
  }
}

TEST(Neighbours, TakeCoresBeforeTheJobDoes) {
  const Scenario scenario = beside("2-1", ring, {"other: {placement: 1-2, job: " + ring + "}"});
  EXPECT_EQ(scenario.placement.ranks[0].core, 1);
  EXPECT_EQ(scenario.placement.ranks[1].core, 2);
  EXPECT_EQ(scenario.placement.ranks[2].core, 2);
}

TEST(Neighbours, AreReadWithErrorsThatSayWhatIsWrong) {
  const auto complaint = [](const std::string& placement, const std::string& neighbour) {
    const std::string text = complaint_of([&] { beside(placement, ring, {neighbour}); });
    const std::string line = text.substr(0, text.find('\n'));
    return line.substr(line.find(": ") + 2);  // behind the place
  };
  EXPECT_EQ(complaint("4", "x: {placement: 1-1, job: " + ring + "}"),
            "4 ranks on 'host0', which has 4 cores, 1 of them taken by other jobs; set "
            "'oversubscribe: true' to let them share");
  EXPECT_EQ(complaint("1-1", "x: {placement: 1-1, repeat: ever, job: " + ring + "}"),
            "expected 'loop' or a number from 1 to 1000000, got \"ever\"");
  EXPECT_EQ(complaint("1-1", "x.y: {placement: 1-1, job: " + ring + "}"),
            "the name of a neighbour has no dot");
  EXPECT_EQ(complaint("1-1",
                      "x: {placement: 1, job: {collective: pingpong, algorithm: blocking, "
                      "bytes: 1 B}}"),
            "the pingpong blocking needs at least 2 ranks, got 1");
  EXPECT_EQ(complaint("1-1",
                      "x: {placement: 1-1, job: {collective: broadcast, algorithm: flat, bytes: "
                      "1 B, repetitions: 2}}"),
            "a neighbour specifies its repetitions by 'repeat', next to its job");
  EXPECT_EQ(complaint("1-1",
                      "x: {placement: 1-1, job: {collective: broadcast, algorithm: flat, "
                      "bytes: [1 B, 2 B]}}"),
            "a neighbour has one size");
}

}  // namespace
}  // namespace ringscope::neighbours_test
