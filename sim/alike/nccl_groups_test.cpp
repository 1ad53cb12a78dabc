// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the collectives of a group of ranks take as long as those of a job that is that group alone:
// with the rings, channels, protocols and the choice that NCCL has for such a communicator?
#include <fmt/core.h>

#include <string>

#include "scenarios/question/nccl_communicators.hpp"
#include "sim/alike/fold_for_test.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::nccl_groups_test {
namespace {

struct Machine {
  std::string cluster, library;
};

/// The library where messages wait for no proxy: those of a group have flags as messages too.
std::string alone(const char* library) {
  return fmt::format(
      "{{base: {}, blocks: {{LL: {{message_gap: 0 s}}, LL128: {{message_gap: 0 s}}, "
      "Simple: {{message_gap: 0 s}}}}}}",
      library);
}

void PrintTo(const Machine& one, std::ostream* out) { *out << one.cluster; }

class NcclGroups : public testing::TestWithParam<Machine> {
 protected:
  Scenario scenario(const std::string& placement, const std::string& job) const {
    return scenario_of(
        fmt::format("cluster: {}\nlibrary: {}\nplacement: {{hosts: {}, on: gpu}}\njob: {}\n",
                    GetParam().cluster, GetParam().library, placement, job));
  }
  /// The collective as a job of its own.
  Scenario plain(const std::string& placement, const std::string& collective,
                 const std::string& bytes) const {
    return scenario(placement, fmt::format("{{collective: {}, algorithm: nccl, bytes: {}}}",
                                           collective, bytes));
  }
  /// The same as a step of a program on these groups.
  Scenario step(const std::string& placement, const std::string& groups,
                const std::string& collective, const std::string& bytes) const {
    return scenario(placement,
                    fmt::format("{{groups: {{of: {}}}, program: [{{{}: {}, group: of}}]}}", groups,
                                collective, bytes));
  }
  static void expect_same_time(const Scenario& group, const Scenario& alone) {
    const Report report = run_again(group), expected = run_again(alone);
    expect_seconds(report.time_s, expected.time_s);
    EXPECT_EQ(report.bytes_on_wire, expected.bytes_on_wire);
    EXPECT_EQ(report.messages, expected.messages);
    EXPECT_EQ(report.bytes_between_hosts, expected.bytes_between_hosts);
  }
};

const std::string all_of_16 = "[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]]";
constexpr const char* collectives[] = {"allreduce", "allgather", "reduce_scatter",
                                       "broadcast", "reduce",    "alltoall"};
constexpr const char* sizes[] = {"16 KiB", "3 MiB", "20000001 B"};

TEST_P(NcclGroups, of_all_ranks_take_as_long_as_the_job) {
  for (const char* collective : collectives)
    for (const char* bytes : sizes) {
      SCOPED_TRACE(fmt::format("{} {}", collective, bytes));
      expect_same_time(step("8-8", all_of_16, collective, bytes), plain("8-8", collective, bytes));
    }
}

TEST_P(NcclGroups, of_one_host_take_as_long_as_a_job_on_that_host) {
  for (const char* collective : collectives)
    for (const char* bytes : sizes) {
      SCOPED_TRACE(fmt::format("{} {}", collective, bytes));
      expect_same_time(step("8-8", "[8, 9, 10, 11, 12, 13, 14, 15]", collective, bytes),
                       plain("8", collective, bytes));
    }
}

// GPU 3 of each host: a ring of its own through the NIC next to it, where the job as a whole has
// one that goes through all GPUs.
TEST_P(NcclGroups, of_one_gpu_on_each_host_take_as_long_as_a_job_on_these) {
  for (const char* collective : collectives) {
    SCOPED_TRACE(collective);
    const std::string alone = fmt::format(
        "cluster: {}\nlibrary: {}\nplacement: [{{host: 0, gpu: 3}}, {{host: 1, gpu: 3}}]\n"
        "job: {{collective: {}, algorithm: nccl, bytes: 64 MiB}}\n",
        GetParam().cluster, GetParam().library, collective);
    expect_same_time(step("8-8", "[3, 11]", collective, "64 MiB"), scenario_of(alone));
  }
}

// Each rank sends to the next and receives from the one before: its blocks have two partners.
TEST_P(NcclGroups, have_messages_that_take_as_long_as_a_sendrecv) {
  for (const char* placement : {"8", "8-8", "1x2"})
    for (const char* bytes : {"16 KiB", "3 MiB", "200000001 B"}) {
      SCOPED_TRACE(fmt::format("{} {}", placement, bytes));
      const Report shift = run_again(
          scenario(placement, fmt::format("{{program: [{{together: [{{send: {0}, to: next, around: "
                                          "true}}, {{receive: {0}, from: previous, around: "
                                          "true}}]}}]}}",
                                          bytes)));
      const Report alone = run_again(plain(placement, "sendrecv", bytes));
      expect_seconds(shift.time_s, alone.time_s);
      EXPECT_EQ(shift.bytes_on_wire, alone.bytes_on_wire);
      EXPECT_EQ(shift.bytes_between_hosts, alone.bytes_between_hosts);
    }
}

// Nobody waits for the other one's partner: rank 2, which receives at once, has all as soon as
// without rank 1, which computes for a second.
TEST_P(NcclGroups, have_messages_that_wait_for_their_own_partner_alone) {
  const auto finish = [&](const std::string& sends) {
    const Report report = run_again(
        scenario("4", "{program: [{together: [" + sends +
                          "], on: {all: 0}}, {compute: 1 s, on: {all: 1}}, {receive: 1 GiB, from: "
                          "0, on: {all: [1, 2]}}]}"));
    return report.rank_reports[2].finish_s;
  };
  EXPECT_LT(finish("{send: 1 GiB, to: 1}, {send: 1 GiB, to: 2}"), 0.5);
}

TEST_P(NcclGroups, have_messages_of_several_groups_at_once) {
  const auto of = [&](const char* more) {
    return run_again(
               scenario("8-8",
                        fmt::format("{{groups: {{order: tp-dp, tp: 8}}, program: [{{together: "
                                    "[{{send: 9 MiB, to: next, around: true, group: dp}}, "
                                    "{{receive: 9 MiB, from: previous, around: true, group: dp}}"
                                    "{}]}}]}}",
                                    more)))
        .time_s;
  };
  const double between = of("");
  EXPECT_NEAR(of(", {send: 1 KiB, to: next, around: true, group: tp}, {receive: 1 KiB, from: "
                 "previous, around: true, group: tp}"),
              between, 1e-3 * between);
}

TEST_P(NcclGroups, of_different_hosts_take_no_longer_together_than_one) {
  const Scenario both =
      scenario("8-8", "{groups: {order: tp-dp, tp: 8}, program: [{allreduce: 64 MiB, group: tp}]}");
  expect_seconds(run_again(both).time_s, run_again(plain("8", "allreduce", "64 MiB")).time_s);
}

// On the H100's hosts each GPU has a NIC next to it; on the A100's two have two in common, which
// one of them alone has to itself.
TEST_P(NcclGroups, of_a_gpu_on_each_host_share_the_nics_that_are_next_to_several) {
  const Scenario all =
      scenario("8-8", "{groups: {order: tp-dp, tp: 8}, program: [{allreduce: 64 MiB, group: dp}]}");
  const double one = run_again(step("8-8", "[3, 11]", "allreduce", "64 MiB")).time_s;
  if (std::string(GetParam().cluster) == "h100_nvswitch")
    expect_seconds(run_again(all).time_s, one);
  else
    EXPECT_GT(run_again(all).time_s, 1.5 * one);
}

// Two streams of a rank, each with a communicator of its own: they share the links, and no block.
TEST_P(NcclGroups, of_two_streams_share_links) {
  const auto streams = [&](const std::string& steps) {
    return run_again(scenario("8", "{program: [" + steps + "]}")).time_s;
  };
  const double one = streams("{allreduce: 256 MiB}");
  const double two = streams("{allreduce: 256 MiB}, {allreduce: 256 MiB, stream: other}");
  EXPECT_GT(two, one * 1.2);
  EXPECT_LE(two, one * 2 * (1 + 1e-9));
}

TEST_P(NcclGroups, have_the_same_times_when_all_channels_are_simulated) {
  const Scenario all[] = {
      step("8-8", all_of_16, "allreduce", "64 MiB"),
      step("8-8", "[0, 1, 2, 3, 4, 5, 6, 7]", "allgather", "100000001 B"),
      scenario("8-8",
               "{groups: {order: tp-dp, tp: 8}, program: [{allreduce: 8 MiB, group: tp}, "
               "{reduce_scatter: 64 MiB, group: dp, stream: sums}, {compute: 1 ms}, "
               "{allgather: 3 MiB, group: tp}]}"),
      // The last bytes of messages are on their way when the sum begins.
      scenario("8-8",
               "{program: [{repeat: 3, steps: [{reduce_scatter: 90000001 B}, {compute: 0.4 ms, on: "
               "{all: 1}}, {together: [{send: 250 kB, to: next, around: true}, {receive: 250 kB, "
               "from: previous, around: true}]}, {send: 3 MiB, to: 1, on: {all: 0}}, {receive: 3 "
               "MiB, from: 0, on: {all: 1}}]}]}")};
  for (const Scenario& one : all) expect_seconds(folded(one).time_s, whole(one).time_s);
}

// A GPU's multiprocessors and memory are taken by all channels, also by those that are not
// simulated.
TEST_P(NcclGroups, take_as_much_of_a_gpu_when_channels_stand_for_others) {
  const Scenario shared = scenario(
      "8",
      "{needs: {memory: 2 TB/s}, program: [{allreduce: 256 MiB, stream: sums}, {compute: 2 ms}]}");
  expect_seconds(folded(shared).time_s, whole(shared).time_s);
}

TEST_P(NcclGroups, on_hosts_that_are_alike_have_the_same_rings) {
  const Scenario pairs =
      scenario("8-8", "{groups: {order: tp-dp, tp: 8}, program: [{allreduce: 8 MiB, group: tp}]}");
  ASSERT_NE(pairs.job.groups, nullptr);
  const auto& found = pairs.job.groups->found;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->rings, found[1]->rings);
}

// The only shard under the sanitizers has the first machine, which takes less than half as long.
INSTANTIATE_TEST_SUITE_P(Machines, NcclGroups,
                         testing::Values(Machine{"h100_nvswitch", alone("nccl_h100")},
                                         Machine{"a100_nvswitch", alone("nccl_a100")}),
                         [](const auto& tested) { return tested.param.cluster; });

}  // namespace
}  // namespace ringscope::nccl_groups_test
