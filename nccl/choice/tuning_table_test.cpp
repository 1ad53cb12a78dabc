// SPDX-License-Identifier: LGPL-2.1-or-later
// Do NCCL's tables, of the rings and trees that the search finds, come out as NCCL prints them, and
// does its choice as it was measured?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <utility>

#include "nccl/choice/choice.hpp"
#include "nccl/groups/communicators.hpp"
#include "topologies/cluster.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope::nccl {
namespace {

constexpr KernelCall of_8_hosts = {.ranks = 64, .nodes = 8};

/// The first GPUs of each host, as NCCL finds them; `cluster` is YAML.
Platform found_on(const std::string& cluster, int gpus, const Platform& installed) {
  const Cluster machine = read_cluster(Value::from_text("x.yaml", cluster));
  std::vector<GpuPlace> places;
  for (int host = 0; host < std::ssize(machine.topology.hosts()); ++host)
    for (int gpu = 0; gpu < gpus; ++gpu) places.push_back({host, gpu});
  return machine_of(find_channels(machine.topology, places), installed, true);
}

Platform hopper(int version) { return {.generation = Generation::hopper, .version = version}; }

// Figures that NCCL 2.27.5 prints on 2 to 32 DGX H100 with 1 to 8 GPUs each, to the last digit.
// None of the 380 is left out.
TEST(NcclTuning, h100_table_equals_nccls_output) {
  std::istringstream file(read_file("validation/published/nccl/h100-2.27.5-tuning.csv", 1));
  int entries = 0;
  std::map<std::pair<int, int>, Platform> machines;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#' || line.starts_with("table")) continue;
    Table<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    const int hosts = std::stoi(cells.at(1)), gpus = std::stoi(cells.at(2));
    const auto [place, is_new] = machines.try_emplace({hosts, gpus});
    Platform& machine = place->second;
    if (is_new)
      machine =
          found_on(fmt::format("{{base: h100_nvswitch, hosts: {}}}", hosts), gpus, hopper(227));
    const auto function =
        cells[0].find("AGRS") != std::string::npos ? Function::allgather : Function::allreduce;
    const auto algorithm = cells[0].ends_with("NVLS_TREE") ? Pattern::nvls
                           : cells[0].ends_with("TREE")    ? Pattern::tree
                                                           : Pattern::ring;
    const KernelCall call = {hosts * gpus, hosts, function};
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
      const int at = 3 + 2 * static_cast<int>(protocol);
      if (cells.at(at).empty()) continue;
      constexpr double digit = 0.0501;
      EXPECT_NEAR(latency(algorithm, protocol, call, machine), std::stod(cells[at]), digit)
          << line << ", " << protocol_names[protocol];
      EXPECT_NEAR(bandwidth(algorithm, protocol, call, machine), std::stod(cells[at + 1]), digit)
          << line << ", " << protocol_names[protocol];
      entries += 2;
    }
  }
  EXPECT_EQ(entries, 2 * (3 * 60 + 10));
}

// openfabric-systems/simllm measured two GH200 with six NVLinks between them, NCCL 2.31.2: from LL
// to Simple between these sizes (commit 26704c1c, examples/nccl_transition_v1).
TEST(NcclTuning, leaves_ll_on_two_gh200_where_it_was_measured_to) {
  const Platform machine = found_on("{base: h100x4_nvlink, hosts: 1}", 2, hopper(231));
  const auto choice = [&](std::uint64_t bytes) {
    return choose({.ranks = 2, .nodes = 1}, bytes, machine);
  };
  EXPECT_EQ(choice(884'736), (KernelChoice{Pattern::ring, Protocol::ll}));
  EXPECT_EQ(choice(901'120), (KernelChoice{Pattern::ring, Protocol::simple}));
}

// NCCL 2.22.3 on two hosts of four H100 with NICs of 200 Gbit/s: odissei-benchmarks/nccl-tests,
// runs/2nodes, commit 6df4cb5b, has a bus bandwidth of 102 GB/s and more from 64 MiB on, which is
// beyond what rings get through 4 x 25 GB/s, and another protocol's from 512 MiB on.
TEST(NcclTuning, takes_trees_between_two_hosts_by_their_rate_inside) {
  const Platform machine =
      found_on("{base: h100x4_nvlink, hosts: 2, link: {bandwidth: 200 Gbit/s, latency: 0.6 us}}", 4,
               hopper(222));
  EXPECT_EQ(machine.rings.pair.each, 24);
  EXPECT_EQ(machine.trees.pair.each, 48);
  EXPECT_EQ(machine.trees.between.each, 24);
  const KernelCall call = {.ranks = 8, .nodes = 2};
  for (std::uint64_t bytes = 64 << 20; bytes <= std::uint64_t{8} << 30; bytes *= 2)
    EXPECT_EQ(choose(call, bytes, machine),
              (KernelChoice{Pattern::tree, bytes < 512 << 20 ? Protocol::ll128 : Protocol::simple}))
        << bytes;
}

// A plug-in's 75 us come with each hop between hosts, with Simple twice: the flush.
TEST(NcclTuning, counts_the_latency_of_a_nic_once_and_with_simple_twice) {
  Platform machine = {.version = 230};
  const auto more = [&](Pattern algorithm, Protocol protocol, KernelCall call) {
    machine.nic_latency = 75;
    const double with = latency(algorithm, protocol, call, machine);
    machine.nic_latency = 0;
    return with - latency(algorithm, protocol, call, machine);
  };
  EXPECT_NEAR(more(Pattern::ring, Protocol::ll, of_8_hosts), 14 * 75, 1e-9);
  EXPECT_NEAR(more(Pattern::ring, Protocol::simple, of_8_hosts), 14 * 150, 1e-9);
  EXPECT_NEAR(more(Pattern::tree, Protocol::ll128, of_8_hosts), 6 * 75, 1e-9);
  EXPECT_NEAR(more(Pattern::tree, Protocol::simple, of_8_hosts), 6 * 150, 1e-9);
  EXPECT_NEAR(more(Pattern::tree, Protocol::simple, {.ranks = 4, .nodes = 1}), 0, 1e-9);
}

// A broadcast by rings of several orders counts each step, with Simple by the trees' hops.
TEST(NcclTuning, counts_each_step_of_a_broadcast_where_rings_differ) {
  const KernelCall call = {.ranks = 16, .nodes = 2, .function = Function::broadcast};
  const Platform machine = {.version = 230, .rings = {.same = false}};
  EXPECT_NEAR(latency(Pattern::ring, Protocol::ll, call, machine), 6.6 + 16 * 2.7, 1e-9);
  EXPECT_NEAR(latency(Pattern::ring, Protocol::simple, call, machine), 8.4 + 16 * 14.0, 1e-9);
}

// Chains get 0.85; Blackwell has twice Hopper's rates in 2.25 to 2.27, then its own.
TEST(NcclTuning, has_the_tables_of_its_version) {
  const auto of = [](int version, Protocol protocol) {
    constexpr Graph found = {
        .inside = {8, 100.0}, .pair = {8, 100.0}, .between = {8, 100.0}, .chains = true};
    const Platform machine = {
        .generation = Generation::blackwell, .version = version, .rings = found, .trees = found};
    return bandwidth(Pattern::tree, protocol, of_8_hosts, machine) / (8 * .85 / 2);
  };
  EXPECT_NEAR(of(224, Protocol::simple), 36, 1e-9);
  EXPECT_NEAR(of(227, Protocol::simple), 72, 1e-9);
  EXPECT_NEAR(of(227, Protocol::ll128), 58, 1e-9);
  EXPECT_NEAR(of(228, Protocol::simple), 24, 1e-9);
  EXPECT_NEAR(of(228, Protocol::ll128), 20, 1e-9);
}

// NCCL 2.31 counts Blackwell's rings between two hosts by the NICs.
TEST(NcclTuning, counts_pairs_of_blackwell_by_their_nics_from_231_on) {
  const auto rate = [](int version) {
    const Platform installed = {.generation = Generation::blackwell, .version = version};
    return found_on("{base: h100x4_nvlink, hosts: 2}", 4, installed).trees.pair.each;
  };
  EXPECT_EQ(rate(230), 48);
  EXPECT_EQ(rate(231), 24);
}

// On Ampere data that reach a NIC over another GPU's NVLinks break up the 128 bytes.
TEST(NcclTuning, weighs_ll128_by_how_far_the_nics_are) {
  const auto weighs = [](Generation generation, Pattern algorithm) {
    const Platform machine =
        found_on("{base: h100x4_nvlink, hosts: 4}", 4, {.generation = generation, .version = 230});
    return is_weighed({algorithm, Protocol::ll128}, {.ranks = 16, .nodes = 4}, machine);
  };
  EXPECT_TRUE(weighs(Generation::hopper, Pattern::ring));
  EXPECT_FALSE(weighs(Generation::ampere, Pattern::ring));
  EXPECT_TRUE(weighs(Generation::ampere, Pattern::tree));
}

TEST(NcclTuning, table_has_what_is_weighed_and_one_choice_a_size) {
  const std::vector<std::uint64_t> sizes = {8, 1 << 20, 1 << 30};
  const auto rows = nccl_tuning(64, 8, {.version = 230}, sizes);
  EXPECT_EQ(rows.size(), 6u + 4 * 3u);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    int chosen = 0;
    for (const NcclTuningRow& row : rows)
      if (row.function == Function::allreduce) chosen += row.chosen[i] ? 1 : 0;
    EXPECT_EQ(chosen, 1);
  }
  EXPECT_EQ(rows[0].choice, (KernelChoice{Pattern::tree, Protocol::ll}));
  EXPECT_NEAR(rows[0].latency, 6.8 + 14 * 0.6 + 6 * 5.0, 1e-9);
  EXPECT_EQ(rows[0].times[0], time(Pattern::tree, Protocol::ll, of_8_hosts, 8, {.version = 230}));
}

}  // namespace
}  // namespace ringscope::nccl
