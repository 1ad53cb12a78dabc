// SPDX-License-Identifier: LGPL-2.1-or-later
// Does `rocm-smi --showtopo` become the machine that it tells of, and a broken text an error?
#include <gtest/gtest.h>

#include <algorithm>

#include "topologies/cluster.hpp"
#include "topologies/imports/imports.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::rocm_smi_test {
namespace {

using Rows = std::vector<std::string>;

std::string table(const std::string& title, const Rows& cells) {
  std::string head = "=== " + title + " between two GPUs ===\n      ", rows;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    head += " GPU" + std::to_string(i);
    rows += "GPU" + std::to_string(i) + "   " + cells[i] + "\n";
  }
  return head + "\n" + rows + "\n";
}

std::string nodes(std::size_t gpus, std::size_t gpus_of_node) {
  std::string text = "=== Numa Nodes ===\n";
  for (std::size_t i = 0; i < gpus; ++i)
    text += (i == 0 ? std::string("GPU 0") : "GPU[" + std::to_string(i) + "]\t") +
            "\t: (Topology) Numa Node: " + std::to_string(i / gpus_of_node) + "\n";
  return text;
}

std::string log_of(const Rows& hops, const Rows& types, std::size_t gpus_of_node) {
  return "WARNING: AMD GPU device(s) is/are in a low-power state.\n\n" + table("Hops", hops) +
         table("Link Type", types) + nodes(types.size(), gpus_of_node);
}

/// `off` in every cell that is not on the diagonal.
Rows square(std::size_t gpus, const std::string& off) {
  Rows rows(gpus);
  for (std::size_t i = 0; i < gpus; ++i)
    for (std::size_t j = 0; j < gpus; ++j) rows[i] += (i == j ? "0" : off) + " ";
  return rows;
}

ImportedHost machine_of(const std::string& text) { return parse_machine({"x", text}, ""); }

Cluster cluster_of(ImportedHost machine) {
  return read_cluster(Value::from_text("x.yaml", cluster_yaml(machine, "a file", 2, {})));
}

double gigabytes(const Cluster& cluster, Vertex from, Vertex to) {
  return cluster.topology.route(from, to).bandwidth.bytes_per_second / 1e9;
}

/// As `amd-smi topology` prints the tables of `log_of`.
std::string amd_log_of(const Rows& hops, const Rows& types) {
  const auto table_of = [](const std::string& title, const Rows& cells) {
    std::string head = title + " TABLE:\n            ", rows;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string bus_id = "0000:" + std::to_string(10 + i) + ":00.0";
      head += " " + bus_id;
      rows += bus_id + " " + cells[i] + "\n";
    }
    return head + "\n" + rows + "\n";
  };
  Rows marked = types;
  for (std::size_t i = 0; i < types.size(); ++i) marked[i].replace(marked[i].find('0'), 1, "SELF");
  return table_of("ACCESS", Rows(types.size(), "ENABLED")) + table_of("HOPS", hops) +
         table_of("LINK TYPE", marked) + "Legend:\n  SELF = Current GPU\n";
}

TEST(RocmSmi, amd_smi_prints_the_same_machine_without_domains) {
  const Rows hops = square(4, "1"), types = square(4, "XGMI");
  ImportedHost machine = machine_of(amd_log_of(hops, types));
  const Cluster amd = cluster_of(machine), rocm = cluster_of(machine_of(log_of(hops, types, 4)));
  EXPECT_NE(cluster_yaml(machine, "a file", 2, {}).find("guessed: one NUMA"), std::string::npos);
  const auto gpus = [](const Cluster& cluster) { return cluster.topology.hosts()[0].gpus; };
  ASSERT_EQ(gpus(amd).size(), 4U);
  EXPECT_EQ(gigabytes(amd, gpus(amd)[0], gpus(amd)[3]),
            gigabytes(rocm, gpus(rocm)[0], gpus(rocm)[3]));
  Rows pcie = types;
  pcie[0] = "0 XGMI XGMI PCIE ";
  pcie[3] = "PCIE XGMI XGMI 0 ";
  const Cluster mixed = cluster_of(machine_of(amd_log_of(hops, pcie)));
  EXPECT_LT(gigabytes(mixed, gpus(mixed)[0], gpus(mixed)[3]),
            gigabytes(mixed, gpus(mixed)[0], gpus(mixed)[1]));
}

TEST(RocmSmi, eight_gpus_with_seven_links_each_are_an_mi300x_platform) {
  const Cluster cluster = cluster_of(read_machine("topologies/machines/mi300x.txt", ""));
  const Host& host = cluster.topology.hosts()[0];
  ASSERT_EQ(host.gpus.size(), 8U);
  EXPECT_EQ(host.numa_domains.size(), 2U);
  EXPECT_EQ(host.nics.size(), 1U);
  // A core for each GPU, so that a rank on each of them has one.
  for (const Vertex domain : host.numa_domains)
    EXPECT_EQ(cluster.topology.graph()[domain].cores, 4);
  // AMD's data sheet: 896 GB/s over seven links, both ways.
  for (std::size_t other = 1; other < host.gpus.size(); ++other)
    EXPECT_DOUBLE_EQ(gigabytes(cluster, host.gpus[0], host.gpus[other]), 896.0 / 7 / 2);
  const double pcie = assumed_pcie_link(90).value.bytes_per_second / 1e9;
  for (const std::size_t gpu : {0U, 7U})
    EXPECT_DOUBLE_EQ(gigabytes(cluster, host.gpus[gpu], host.numa_domains[gpu / 4]), pcie);
}

TEST(RocmSmi, one_core_is_not_told_as_several) {
  const ImportedHost machine = machine_of(log_of(square(2, "1"), square(2, "XGMI"), 1));
  EXPECT_EQ(std::ranges::count(machine.notes,
                               "guessed: 1 core next to GPU1, one for each GPU there, because no "
                               "CPU affinity is given"),
            1);
}

TEST(RocmSmi, xgmi_of_one_hop_is_a_link_and_all_else_is_pcie) {
  const std::string text =
      log_of({"0 1 2 1", "1 0 1 2", "2 1 0 1", "1 2 1 0"},
             {"0 XGMI PCIE XGMI", "XGMI 0 XGMI XGMI", "PCIE XGMI 0 XGMI", "XGMI XGMI XGMI 0"}, 2);
  ImportedHost machine = machine_of(text);
  const std::string yaml = cluster_yaml(machine, "a file", 1, {});
  EXPECT_NE(yaml.find("# omitted: xGMI of several hops"), std::string::npos) << yaml;
  const Cluster cluster = cluster_of(machine);
  const Host& host = cluster.topology.hosts()[0];
  EXPECT_EQ(host.numa_domains.size(), 2U);
  // AMD's data sheet of the MI250X: 100 GB/s, both ways.
  for (const std::size_t next : {1U, 3U})
    EXPECT_DOUBLE_EQ(gigabytes(cluster, host.gpus[0], host.gpus[next]), 100.0 / 2);
  for (const std::size_t gpu : {0U, 1U}) {
    EXPECT_FALSE(cluster.topology.nvlinked(host.gpus[gpu], host.gpus[gpu + 2]));
    EXPECT_DOUBLE_EQ(gigabytes(cluster, host.gpus[gpu], host.gpus[gpu + 2]),
                     assumed_pcie_link(80).value.bytes_per_second / 1e9);
  }
}

TEST(RocmSmi, domains_stand_in_the_order_of_their_numbers_and_may_be_unknown) {
  std::string text = table("Hops", square(2, "1")) + table("Link Type", square(2, "XXXX")) +
                     "GPU[0] : (Topology) Numa Node: 10\nGPU[1] : (Topology) Numa Node: 2\n";
  const ImportedHost machine = machine_of(text);
  EXPECT_EQ(machine.domains.size(), 2U);
  EXPECT_EQ(machine.links.at(1).from, "numa1");
  EXPECT_EQ(machine.links.at(1).to, "gpu0");
  EXPECT_NO_THROW(cluster_of(machine));
  text = table("Hops", {"0"}) + table("Link Type", {"0"}) + "GPU[0] : (Topology) Numa Node: -1\n";
  EXPECT_EQ(machine_of(text).domains.size(), 1U);
}

TEST(RocmSmi, sixty_four_gpus_make_a_cluster_and_more_an_error) {
  const auto log = [](std::size_t gpus) {
    return log_of(square(gpus, "1"), square(gpus, "XGMI"), 1);
  };
  EXPECT_EQ(cluster_of(machine_of(log(64))).topology.hosts()[0].gpus.size(), 64U);
  const std::string complaint = complaint_of([&] { machine_of(log(65)); });
  EXPECT_NE(complaint.find(": more than 64 devices\n"), std::string::npos) << complaint;
}

struct BrokenText {
  std::string input, complaint;  ///< up to the end of its line
};

TEST(RocmSmi, a_broken_text_is_an_error_that_says_what_was_expected_and_where) {
  const std::string hops = table("Hops", square(2, "1")),
                    types = table("Link Type", square(2, "XGMI"));
  const std::string log = hops + types + nodes(2, 1);
  EXPECT_NO_THROW(machine_of(log));
  const BrokenText broken[] = {
      {"",
       "x: expected the table \"Link Type between two GPUs\", got none: `rocm-smi --showtopo` "
       "prints it, and `amd-smi topology` one of the same content"},
      {types,
       "x: expected the table \"Hops between two GPUs\", got none: `rocm-smi --showtopo` "
       "prints it, and `amd-smi topology` one of the same content"},
      {"Link Type between two GPUs\n", "x:2:1: expected the head of a matrix: GPU0 GPU1 ..."},
      {table("Link Type", {"0 XGMI", "XGMI 0 PCIE"}),
       "x:5:1: expected 2 cells in the row of 'GPU1', got 3"},
      {table("Link Type", {"0 XGMI", "XGMI"}),
       "x:5:1: expected 2 cells in the row of 'GPU1', got 1"},
      {table("Link Type", {"0 XGMI\n", "XGMI 0"}),
       "x:3:8: expected a row for each of 2 columns, got 1"},
      {table("Link Type", {"0 XGMI", "PCIE 0"}),
       "x:5:8: expected \"XGMI\", as the other way, got \"PCIE\""},
      {table("Link Type", {"X XGMI", "XGMI X"}),
       "x:4:8: expected \"0\", as of a GPU to itself, got \"X\""},
      {table("Link Type", square(2, "PCIX")) + hops + nodes(2, 1),
       "x:4:10: unknown link type 'PCIX'; did you mean 'PCIE'? (known: 0, PCIE, XGMI, XXXX)"},
      {types + table("Hops", square(2, "N/A")) + nodes(2, 1),
       "x:9:10: expected a whole number from 1 to 64, got \"N/A\""},
      {types + table("Hops", {"0"}) + nodes(2, 1),
       "x:9:1: expected 2 GPUs, as there are link types, got 1"},
      {types + hops + nodes(1, 1),
       "x:5:1: expected a line \"(Topology) Numa Node: N\" for 'GPU1', got none"},
      {types + hops + "GPU[0] : (Topology) Numa Node: none\n",
       "x:12:32: expected a whole number from -1 to 65535, got \"none\""},
  };
  for (const auto& [input, complaint] : broken) {
    const auto read = [&input = input] {
      machine_of("ROCm System Management Interface\n" + input);
    };
    const std::string said = complaint_of(read);
    EXPECT_EQ(said.substr(0, said.find('\n')), complaint) << input;
  }
}

}  // namespace
}  // namespace ringscope::rocm_smi_test
