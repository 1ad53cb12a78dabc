// SPDX-License-Identifier: LGPL-2.1-or-later
// Does one replica of a large model, simulated for all, have the times that all have when all are
// simulated?
#include "sim/alike/alike_ranks.hpp"
#include "sim/alike/fold_for_test.hpp"

namespace ringscope::fold_llm_test {
namespace {

/// Ranks on hosts of two sockets, a model of four layers, and gradients that 16 divides.
struct Case {
  std::string placement, groups, options;
  int simulated = 0;
  std::string network = "network: star\n  hosts: 16";
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.placement << " " << one.groups << " " << one.options;
}

Scenario scenario_for(const Case& one, const std::string& library) {
  return scenario_of(fmt::format(R"(
cluster:
  {}
  link: {{bandwidth: 10 Gbit/s, latency: 5 us}}
  host: {{type: numa, sockets: 2, cores: 4, memory_bandwidth: 20 GB/s,
         socket_link: {{bandwidth: 12 GB/s, latency: 100 ns}},
         nics: [{{domain: 0}}, {{domain: 1}}]}}
library: {}
placement: {}
job:
  program: llm
  groups: {}
  options: {{model: {{layers: 4, hidden: 64, heads: 8, sequence: 32}},
            gpu: {{flops: 1e11, memory_bandwidth: unlimited}}, {}}}
)",
                                 one.network, library, one.placement, one.groups, one.options));
}

class FoldedReplicas : public testing::TestWithParam<Case> {};

TEST_P(FoldedReplicas, have_the_times_of_all) {
  for (const char* library : {"openmpi_tcp", "rdma", "slow_tcp", "progress_thread"}) {
    SCOPED_TRACE(library);
    expect_folds_to(scenario_for(GetParam(), library), GetParam().simulated);
  }
}

TEST_P(FoldedReplicas, have_programs_that_are_the_first_ones_moved) {
  EXPECT_EQ(sim::unlike_programs(scenario_for(GetParam(), "ideal")), "");
}

const std::string rails = "network: rails\n  hosts_per_pod: 16\n  rails: 2\n  spines: 1";

INSTANTIATE_TEST_SUITE_P(
    Groups, FoldedReplicas,
    testing::Values(
        // 32 ranks, two on a host: a tensor group each, eight replicas of two stages.
        Case{"2x16", "{order: tp-dp-pp, tp: 2, pp: 2}", "micro_batches: 4", 4},
        Case{"2x16", "{order: tp-dp-pp, tp: 2, pp: 2}", "micro_batches: 4, zero: 1, steps: 2", 4},
        Case{"2x16", "{order: tp-pp-dp, tp: 2, pp: 4}", "micro_batches: 4, schedule: gpipe", 8},
        Case{"2x16", "{order: tp-dp-pp, tp: 2, pp: 2}",
             "micro_batches: 4, schedule: interleaved, stage_parts: 2", 4},
        // A tensor group across two hosts.
        Case{"2x16", "{order: tp-dp-pp, tp: 4, pp: 2}", "micro_batches: 2, zero: 1", 8},
        // Two replicas side by side on each host.
        Case{"2x16", "{order: dp-tp-pp, tp: 2, pp: 2}", "micro_batches: 2", 8},
        Case{"4x8", "{order: tp-dp-pp, tp: 2, pp: 2}", "micro_batches: 2, zero: 1", 8},
        // FSDP, of all and of four that replicate what they cut.
        Case{"2x16", "{tp: 2}", "zero: 2", 2}, Case{"2x16", "{tp: 2}", "zero: 3", 2},
        Case{"2x16", "{tp: 2}", "zero: 3, shard: 4", 8},
        // Context groups, inside the data groups and around them.
        Case{"2x16", "{order: tp-cp-dp-pp, tp: 2, cp: 2, pp: 2}", "micro_batches: 2", 8},
        Case{"2x16", "{order: tp-dp-cp-pp, tp: 2, cp: 2}", "zero: 1", 4},
        Case{"2x16", "{order: cp-tp-dp-pp, tp: 2, cp: 2}", "zero: 3", 4},
        Case{"2x16", "{order: tp-dp-pp, tp: 2, pp: 2}", "sequence_parallel: true, zero: 1", 4},
        // NIC i on leaf i: two ranks of a host talk by a leaf each.
        Case{"{hosts: 2x16, map_by: numa}", "{order: tp-dp-pp, tp: 2, pp: 2}",
             "micro_batches: 4, zero: 1", 4, rails}));

std::string why_not(const Case& one, const std::string& library = "rdma") {
  const Report report = folded(scenario_for(one, library));
  EXPECT_EQ(report.simulated_ranks, 0);
  return report.not_folded;
}

TEST(FoldOfALargeModel, is_refused_with_its_reason) {
  const std::string order = "{order: tp-dp-pp, tp: 2, pp: 2}";
  EXPECT_EQ(why_not({"2x4", "{order: tp-dp-pp, tp: 2, pp: 4}", "micro_batches: 2"}),
            "no replicas of the model have separate hosts");
  EXPECT_EQ(why_not({"4x4", "{order: dp-tp-pp, tp: 2, pp: 2}", "micro_batches: 2"}),
            "no replicas of the model have separate hosts");
  EXPECT_EQ(why_not({"2x16", order, "exchange: rabenseifner"}),
            "training llm is not the same for all ranks");
  EXPECT_EQ(
      why_not({"2x16", order, "steps: 1", 0,
               "network: two_level\n  racks: 4\n  hosts_per_rack: 4\n  oversubscription: 1"}),
      "the links of host 'host4' differ from the links of 'host0': the network is more than one "
      "switch");
  // Pods of four hosts: replicas of other pods hang on other leaves.
  EXPECT_EQ(
      why_not({"2x16", order, "steps: 1", 0,
               "network: rails\n  pods: 4\n  hosts_per_pod: 4\n  rails: 2\n  spines: 2"}),
      "the links of host 'host4' differ from the links of 'host0': the network is more than one "
      "switch");
}

// The number of ranks that are simulated does not grow with that of replicas.
TEST(FoldOfALargeModel, simulates_as_many_ranks_of_many_replicas_as_of_few) {
  const auto simulated = [](int hosts) {
    const Report report =
        folded(scenario_for({fmt::format("2x{}", hosts), "{order: tp-dp-pp, tp: 2, pp: 2}",
                             "zero: 1", 0, fmt::format("network: star\n  hosts: {}", hosts)},
                            "rdma"));
    return report.simulated_ranks;
  };
  EXPECT_EQ(simulated(8), 4);
  EXPECT_EQ(simulated(64), 4);
}

// NVIDIA's hosts: eight GPUs on NVSwitch, a NIC for each.
Scenario on_gpus(const std::string& network, const std::string& groups) {
  std::string nics;
  for (int i = 0; i < 8; ++i)
    nics += fmt::format("{}{{switch: {}, bandwidth: 31.5 GB/s, latency: 150 ns}}",
                        i == 0 ? "" : ", ", i);
  return scenario_of(fmt::format(R"(
cluster:
  {}
  link: {{bandwidth: 200 Gbit/s, latency: 600 ns}}
  host:
    type: pcie_tree
    sockets: 2
    cores: 64
    memory_bandwidth: 204.8 GB/s
    socket_link: {{bandwidth: 96 GB/s, latency: 100 ns}}
    switches_per_socket: 4
    switch_uplink: {{bandwidth: 31.5 GB/s, latency: 150 ns}}
    gpus_per_switch: 1
    gpu: {{bandwidth: 31.5 GB/s, latency: 150 ns, memory: 80 GB, memory_bandwidth: 1555 GB/s}}
    nics: [{}]
    nvswitch: {{bandwidth: 300 GB/s, latency: 300 ns}}
library: cuda_pinned
placement: {{hosts: 8x8, on: gpu}}
job:
  program: llm
  groups: {}
  options: {{model: llama_2_7b, gpu: a100_80, micro_batches: 2, zero: 1}}
)",
                                 network, nics, groups));
}

const std::string gpu_rails = "network: rails\n  hosts_per_pod: 8\n  rails: 8\n  spines: 1";

TEST(FoldOfALargeModel, on_gpus_with_a_nic_each_has_the_times_of_all) {
  for (const std::string& network : {std::string("network: star\n  hosts: 8"), gpu_rails}) {
    SCOPED_TRACE(network);
    expect_folds_to(on_gpus(network, "{order: tp-dp-pp, tp: 8, pp: 2}"), 16);
  }
}

/// A replica is simulated for all, with one of the channels that are alike; and all ranks with all
/// channels.
void expect_same_times(const Scenario& scenario, int simulated) {
  const Report fold = folded(scenario), all = whole(scenario);
  EXPECT_EQ(fold.simulated_ranks, simulated) << fold.not_folded;
  EXPECT_NEAR(fold.time_s, all.time_s, close * all.time_s);
  EXPECT_EQ(fold.messages, all.messages);
  EXPECT_EQ(fold.bytes_on_wire, all.bytes_on_wire);
  EXPECT_EQ(fold.bytes_between_hosts, all.bytes_between_hosts);
  expect_same_ranks(fold, all);
}

Scenario with_nccl(const std::string& machine, const std::string& placement,
                   const std::string& groups, const std::string& options, int layers = 2) {
  return scenario_of(fmt::format(R"(
cluster: {{base: {}, hosts: 16}}
library: nccl_{}
placement: {{hosts: {}, on: gpu}}
job:
  program: llm
  groups: {}
  options: {{model: {{layers: {}, hidden: 1024, heads: 32, sequence: 512}}, gpu: h100, {}}}
)",
                                 machine + "_nvswitch", machine, placement, groups, layers,
                                 options));
}

/// Script of a rank and of the same one of the next replica: share by which their messages differ.
std::optional<double> unevenness_of(const Scenario& scenario, int rank, int replica, bool in_full,
                                    std::size_t& lines) {
  const PlacedOptions options(scenario.job, scenario.placement);
  const sim::Orbits orbits{.ranks = options.ranks(), .simulated = options.ranks()};
  sim::ScriptGroups groups;
  std::vector<sim::ScriptLine> ours, theirs;
  sim::write_script(scenario.job, *options, orbits, rank, groups, in_full, ours);
  sim::write_script(scenario.job, *options, orbits, rank + replica, groups, in_full, theirs);
  lines = ours.size();
  return sim::unevenness(scenario, ours, theirs);
}

// A script in which any request may come first has each call of a group in full.
TEST(ScriptOfALargeModel, with_calls_told_once_has_the_share_of_the_full_one) {
  const Scenario scenario =
      with_nccl("h100", "8x16", "{tp: 8}",
                "micro_batches: 4, zero: 1, overlap: all, sequence_parallel: true");
  for (const int rank : {0, 7}) {
    std::size_t full = 0, once = 0;
    const auto share = unevenness_of(scenario, rank, 8, true, full);
    ASSERT_TRUE(share);
    EXPECT_EQ(unevenness_of(scenario, rank, 8, false, once), share);
    EXPECT_LT(2 * once, full);
  }
}

TEST(FoldOfALargeModel, on_128_gpus_with_channels_of_nccl_has_the_times_of_all) {
  for (const char* machine : {"a100", "h100"}) {
    SCOPED_TRACE(machine);
    const std::string by_stages = "{order: tp-dp-pp, tp: 8, pp: 2}";
    expect_same_times(with_nccl(machine, "8x16", by_stages, "micro_batches: 2, zero: 1"), 16);
    expect_same_times(
        with_nccl(machine, "8x16", by_stages, "micro_batches: 2, sequence_parallel: true"), 16);
    expect_same_times(with_nccl(machine, "8x16", "{tp: 8}", "zero: 3"), 8);
  }
}

// Messages between stages and those of keys go by channels, of which some are on their way while a
// rank computes; between two GPUs of a host they take up to 32.
TEST(FoldOfALargeModel, on_gpus_whose_pipelines_go_by_channels_has_the_times_of_all) {
  const auto sends = [](const char* machine, const std::string& groups, const std::string& options,
                        int simulated, int layers = 4) {
    SCOPED_TRACE(groups + " " + options);
    expect_same_times(with_nccl(machine, "8x8", groups, options, layers), simulated);
  };
  const std::string over_hosts = "{order: tp-dp-pp, tp: 8, pp: 4}";
  sends("a100", over_hosts, "micro_batches: 2, schedule: gpipe", 32);
  sends("h100", over_hosts, "micro_batches: 4, micro_batch: 8", 32);
  sends("h100", "{order: tp-pp-dp, tp: 2, pp: 4}", "micro_batches: 4", 8);
  sends("a100", over_hosts, "micro_batches: 4, micro_batch: 16, schedule: interleaved", 32, 8);
  sends("h100", "{order: tp-cp-dp-pp, tp: 8, cp: 2, pp: 2}", "micro_batches: 2, micro_batch: 8",
        32);
}

// A ring over the GPUs of two hosts goes from the last rail to the first, by a spine that all
// share.
TEST(FoldOfALargeModel, is_refused_where_messages_go_from_switch_to_switch) {
  const Report report = folded(on_gpus(gpu_rails, "{order: tp-dp-pp, tp: 16}"));
  EXPECT_EQ(report.simulated_ranks, 0);
  EXPECT_EQ(report.not_folded, "messages go from switch to switch, by 'pod0/rail0->spine0'");
}

}  // namespace
}  // namespace ringscope::fold_llm_test
