// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a scenario file become the cases that it asks for?
#include "scenarios/question/scenario.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::scenario_test {
namespace {

constexpr const char* lesson = R"(
question: How long?
cluster: rack3
library: slow_tcp
placement: 4-2-2
job: {collective: allreduce, algorithm: ring, bytes: 4 MiB}
)";

std::vector<Scenario> read(const std::string& text, const std::vector<std::string>& changes = {}) {
  std::vector<Override> overrides;
  for (const std::string& change : changes) overrides.push_back(parse_override(change));
  std::vector<Scenario> scenarios;
  for (const CaseTree& one : case_trees(Value::from_text("x.yaml", text), "x", overrides)) {
    for (Scenario& scenario : read_tree(one.tree, one.name)) scenarios.push_back(scenario);
  }
  return scenarios;
}

Scenario read_one(const std::vector<std::string>& changes = {}) {
  return read(lesson, changes).at(0);
}

TEST(Scenario, one_file_is_one_case_with_defaults_filled_in) {
  const Scenario scenario = read_one();
  EXPECT_EQ(scenario.name, "x");
  EXPECT_EQ(scenario.question, "How long?");
  EXPECT_EQ(scenario.placement.ranks.size(), 8U);
  EXPECT_EQ(scenario.job.algorithm, find_algorithm("allreduce", "ring"));
  EXPECT_EQ(scenario.job.bytes, Bytes{4 << 20});
  EXPECT_EQ(scenario.job.repetitions, 1);
  EXPECT_EQ(scenario.job.seed, 1U);
  EXPECT_EQ(scenario.job.skew, Seconds(0));
}

TEST(Scenario, resolved_scenario_reads_back_to_the_same_case) {
  for (const char* change : {"job.seed=2", "cluster=numa_pair", "library=offload",
                             "placement={hosts: 4-3-1, map_by: numa}", "job.skew=3 us"}) {
    const Json resolved = to_json(read_one({"placement=2-2", change}).resolved);
    EXPECT_EQ(to_json(read(resolved.dump()).at(0).resolved), resolved) << change;
  }
}

TEST(Scenario, each_size_is_a_case_named_after_it) {
  const auto scenarios = read(lesson, {"job.bytes=[1MiB, 1.5 kB]"});
  ASSERT_EQ(scenarios.size(), 2U);
  EXPECT_EQ(scenarios[0].name, "x 1 MiB");
  EXPECT_EQ(scenarios[1].name, "x 1.5 kB");
  EXPECT_EQ(scenarios[1].job.bytes, Bytes{1500});
  EXPECT_EQ(to_json(scenarios[1].resolved)["job"]["bytes"], "1.5 kB");
}

// Two chunks.
TEST(Scenario, a_size_that_a_schedule_cannot_cut_goes_by_nccl) {
  const auto scenarios = read(R"(
question: q
cluster: pair
library: ideal
placement: 1-1
job: {schedule: ring_2.xml, bytes: [96 B, 97 B, 98 B]}
)");
  ASSERT_EQ(scenarios.size(), 3U);
  EXPECT_EQ(scenarios[0].job.algorithm->name, "ring_2");
  EXPECT_EQ(scenarios[1].job.algorithm, find_algorithm("allreduce", "nccl"));
  EXPECT_EQ(scenarios[1].job.options.schedule, nullptr);
  EXPECT_EQ(scenarios[2].job.algorithm->name, "ring_2");
  const Json resolved = to_json(scenarios[1].resolved);
  EXPECT_EQ(to_json(read(resolved.dump()).at(0).resolved), resolved);
}

TEST(Scenario, rccl_refuses_ll128_on_one_host) {
  const auto complaint = [](int hosts) {
    return complaint_of([&] {
      read(
          fmt::format("question: q\ncluster: {{base: mi300x, hosts: {0}}}\n"
                      "library: rccl_mi300x\nplacement: {{hosts: 8x{0}, on: gpu}}\n"
                      "job: {{collective: allreduce, algorithm: nccl, bytes: 1 MiB, "
                      "options: {{protocol: LL128}}}}",
                      hosts));
    });
  };
  EXPECT_TRUE(complaint(1).find("RCCL has no allreduce of auto with protocol LL128 here") !=
              std::string::npos);
  EXPECT_EQ(complaint(2), "");
}

TEST(Scenario, cases_and_sizes_multiply) {
  const std::string cases = std::string(lesson) + R"(
cases:
- name: even
- {name: uneven, set: {placement: 4-3-1, job.bytes: [1 KiB, 2 KiB]}}
)";
  const auto scenarios = read(cases);
  ASSERT_EQ(scenarios.size(), 3U);
  EXPECT_EQ(scenarios[0].name, "x even");
  EXPECT_EQ(scenarios[0].placement.text, "4-2-2");
  EXPECT_EQ(scenarios[2].name, "x uneven 2 KiB");
  EXPECT_EQ(scenarios[2].placement.text, "4-3-1");
}

TEST(Scenario, the_command_line_overrides_what_a_case_sets) {
  const std::string cases = std::string(lesson) + "cases: [{name: a, set: {placement: 4-3-1}}]";
  EXPECT_EQ(read(cases, {"placement=8"}).at(0).placement.text, "8");
}

TEST(Scenario, a_case_whose_own_value_is_replaced_says_so_in_its_name) {
  const std::string cases = std::string(lesson) + "cases: [{name: a, set: {placement: 4-3-1}}]";
  EXPECT_TRUE(read(cases, {"placement=8"}).at(0).name.ends_with(" a but placement=8"));
  EXPECT_TRUE(
      read(cases, {"placement.bind=host"}).at(0).name.ends_with(" but placement.bind=host"));
  EXPECT_TRUE(read(cases, {"job.seed=2"}).at(0).name.ends_with(" a"));
}

TEST(Scenario, an_override_reaches_into_what_a_name_stands_for) {
  const Scenario scenario =
      read_one({"library.network.send_cost=2 ns/B", "cluster.link.bandwidth=1 Gbit/s",
                "placement.bind=host", "library.endpoints=2"});
  EXPECT_EQ(scenario.library.transport(Way::network).send_cost, ByteCost{2e-9});
  EXPECT_EQ(scenario.library.transport(Way::network).recv_cost, ByteCost{8e-9});
  EXPECT_EQ(scenario.library.endpoints, 2);
  EXPECT_EQ(to_json(scenario.cluster.resolved)["link"]["bandwidth"], "1 Gbit/s");
  EXPECT_EQ(scenario.placement.ranks[0].binding, Binding::host);
}

TEST(Scenario, a_clusters_kind_of_network_is_what_kernels_pay_between_its_hosts) {
  const auto transport = [](const std::string& library, const std::string& cluster) {
    return read(lesson, {"library=" + library, "cluster=" + cluster}).at(0).library.transport_name;
  };
  const std::string on_efa = "{base: h100_nvswitch, hosts: 3, link: {kind: efa_p5}}";
  EXPECT_EQ(transport("nccl_h100", "rack3"), "infiniband");  // nobody says
  EXPECT_EQ(transport("nccl_h100", on_efa), "efa_p5");
  EXPECT_EQ(transport("{base: nccl_h100, blocks: {launch: 1 us}}", on_efa), "efa_p5");
  EXPECT_EQ(transport("{base: nccl_h100, transport: roce}", on_efa), "roce");
  EXPECT_EQ(transport("openmpi_tcp", on_efa), "");  // it has no kernels
  EXPECT_EQ(read_one({"library=nccl_h100", "cluster=" + on_efa,
                      "library.blocks.LL.hop_between_hosts=1 us"})
                .library.blocks->costs(Protocol::ll)
                .between_hosts.latency,
            Seconds(1e-6));
  EXPECT_THROW(transport("nccl_h100", "{base: rack3, link: {kind: pigeon}}"), InputError);
}

TEST(Scenario, a_job_without_detours_has_those_of_its_library) {
  const std::string of_library = "library.detours={every: 1 s, takes: 1 ms}";
  const DetourTimes spread = read_one({of_library, "placement=4-4"}).job.noise.detours;
  EXPECT_EQ(spread.takes, Seconds(1e-3));
  EXPECT_EQ(spread.every, Seconds(4)) << "of each of a host's four cores";
  const std::string own = "job.noise.detours={every: 1 s, takes: 0 s}";
  EXPECT_FALSE(read_one({of_library, own}).job.noise.detours.any());
}

TEST(Scenario, a_whole_map_can_be_set) {
  const Scenario scenario =
      read_one({"job={collective: barrier, algorithm: dissemination}", "job.repetitions=3"});
  EXPECT_EQ(scenario.job.algorithm, find_algorithm("barrier", "dissemination"));
  EXPECT_EQ(scenario.job.bytes, Bytes{0});
  EXPECT_EQ(scenario.job.repetitions, 3);
}

TEST(Scenario, a_segment_is_given_in_bytes) {
  const Scenario scenario =
      read_one({"job.algorithm=ring_segmented", "job.options.segment=16 KiB"});
  EXPECT_EQ(scenario.job.options.segment, 16U * 1024);
}

TEST(Override, the_first_equals_sign_divides) {
  const Override change = parse_override("job.bytes=a=b");
  EXPECT_EQ(change.key, "job.bytes");
  EXPECT_EQ(change.text, "a=b");
}

}  // namespace
}  // namespace ringscope::scenario_test
