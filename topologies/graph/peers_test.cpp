// SPDX-License-Identifier: LGPL-2.1-or-later
// Do GPUs reach each other, and other hosts, as the platform grants it?
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "topologies/cluster.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

using testing::ElementsAre;

/// Two hosts of two sockets, on each two switches with two GPUs, and four NICs; every link of a
/// switch or a device takes 1 us and carries 10 GB/s. `rules` are further keys of the host.
Topology machine(const std::string& rules) {
  return read_cluster(
             Value::from_text(
                 "test",
                 "network: star\nhosts: 2\nlink: {bandwidth: 1 GB/s, latency: 5 us}\nhost:\n"
                 "  type: pcie_tree\n  socket_link: {bandwidth: 20 GB/s, latency: 0.1 us}\n"
                 "  switches_per_socket: 2\n  gpus_per_switch: 2\n"
                 "  switch_uplink: {bandwidth: 10 GB/s, both: 15 GB/s, latency: 1 us}\n"
                 "  gpu: {bandwidth: 10 GB/s, latency: 1 us, peer_bandwidth: 9 GB/s}\n"
                 "  nics: [{switch: 0, latency: 1 us}, {switch: 1, latency: 1 us},\n"
                 "         {domain: 1, latency: 1 us}]\n" +
                     rules))
      .topology;
}

/// Access of every pair of the first host's GPUs, as rows of 0 and 1.
std::vector<std::string> access_rows(const Topology& topology) {
  std::vector<std::string> rows;
  for (const Vertex from : topology.hosts()[0].gpus) {
    rows.emplace_back();
    for (const Vertex to : topology.hosts()[0].gpus)
      rows.back() += topology.peer_access(from, to) ? '1' : '0';
  }
  return rows;
}

std::vector<std::string> passed(const Topology& topology, const Route& route) {
  std::vector<std::string> names;
  for (const int id : route.links) {
    const std::string& name = topology.graph()[topology.target_of(id)].name;
    names.push_back(name.substr(name.find('/') + 1));
  }
  return names;
}

Vertex gpu(const Topology& topology, std::size_t index, std::size_t host = 0) {
  return topology.hosts()[host].gpus[index];
}

TEST(Peers, access_goes_by_the_rule_or_by_the_list) {
  EXPECT_THAT(access_rows(machine("  peer_access: same_switch")),
              ElementsAre("11000000", "11000000", "00110000", "00110000", "00001100", "00001100",
                          "00000011", "00000011"));
  const std::vector<std::string> by_socket(4, "11110000"), other_socket(4, "00001111");
  std::vector<std::string> expected = by_socket;
  expected.insert(expected.end(), other_socket.begin(), other_socket.end());
  EXPECT_EQ(access_rows(machine("  peer_access: same_socket")), expected);
  EXPECT_EQ(access_rows(machine("")), expected);
  EXPECT_EQ(access_rows(machine("  peer_access: all")), std::vector<std::string>(8, "11111111"));
  EXPECT_EQ(access_rows(machine("  peer_access: none"))[1], "01000000");
  EXPECT_THAT(access_rows(machine("  peer_access: [[0, 7], [2, 1]]")),
              ElementsAre("10000001", "01100000", "01100000", "00010000", "00001000", "00000100",
                          "00000010", "10000001"));
}

/// A matrix of 8 GPUs in pairs, its lines as `row` makes them of a GPU and its cells.
std::string matrix_text(const std::function<std::string(int, const std::string&)>& row,
                        const std::string& yes, const std::string& no) {
  std::string text = "  peer_access: |\n    D\\D 0 1 2 3 4 5 6 7\n";
  for (int from = 0; from < 8; ++from) {
    std::string cells;
    for (int to = 0; to < 8; ++to) cells += "  " + (from / 2 == to / 2 ? yes : no);
    text += "    " + row(from, cells) + "\n";
  }
  return text;
}

TEST(Peers, access_is_read_from_the_lines_of_a_log) {
  const std::vector<std::string> expected = access_rows(machine("  peer_access: same_switch"));
  const auto tensorflow = [](int from, const std::string& cells) {
    return fmt::format("2018-05-03 10:11:12.1: I tensorflow/gpu_device.cc:993] {}: {}", from,
                       cells);
  };
  const auto sample = [](int from, const std::string& cells) {
    return std::to_string(from) + cells;
  };
  EXPECT_EQ(access_rows(machine(matrix_text(tensorflow, "Y", "N"))), expected);
  EXPECT_EQ(access_rows(machine(matrix_text(sample, "1", "0"))), expected);
}

TEST(Peers, access_from_a_log_is_complete_and_symmetric) {
  const auto error = [](const std::string& access) -> std::string {
    try {
      machine("  peer_access: |\n" + access);
    } catch (const InputError& one) {
      return one.what();
    }
    return "";
  };
  EXPECT_THAT(error("    DMA: 0 1\n    0: Y Y\n    1: Y Y\n"),
              testing::HasSubstr("expected a row of 8 times Y or N for each of 8 GPUs, such as "
                                 "'0: Y Y N N', got 0 of them"));
  std::string rows;
  for (int from = 0; from < 8; ++from)
    rows += fmt::format("    {}: N{} N N N N N N\n", from, from == 3 ? " Y" : " N");
  EXPECT_THAT(error(rows), testing::HasSubstr("between GPU 1 and GPU 3 in one direction"));
}

TEST(Peers, no_gpu_may_write_to_another_hosts) {
  const Topology topology = machine("  peer_access: all");
  EXPECT_FALSE(topology.peer_access(gpu(topology, 0), gpu(topology, 0, 1)));
}

TEST(Peers, peer_writes_of_a_gpu_have_a_separate_limit) {
  const Topology topology = machine("");
  const Route peers = topology.route(gpu(topology, 0), gpu(topology, 1));
  EXPECT_TRUE(peers.peer);
  EXPECT_EQ(peers.bandwidth, Bandwidth{9e9});
  const Route home = topology.route(gpu(topology, 0), topology.hosts()[0].numa_domains[0]);
  EXPECT_FALSE(home.peer);
  EXPECT_EQ(home.bandwidth, Bandwidth{10e9});
}

TEST(Peers, nvlinks_are_taken_and_grant_access_but_are_not_forwarded) {
  const Topology topology = read_cluster(Value::from_text("test", "dgx1v")).topology;
  const Vertex first = gpu(topology, 0);
  EXPECT_EQ(topology.route(first, gpu(topology, 1)).bandwidth, Bandwidth{25e9});
  EXPECT_EQ(topology.route(first, gpu(topology, 4)).bandwidth, Bandwidth{50e9});
  EXPECT_TRUE(topology.peer_access(first, gpu(topology, 4)));
  EXPECT_FALSE(topology.nvlinked(first, gpu(topology, 5)));
  EXPECT_FALSE(topology.peer_access(first, gpu(topology, 5)));
  EXPECT_THAT(passed(topology, topology.route(first, gpu(topology, 5))),
              ElementsAre("pcie0", "numa0", "numa1", "pcie2", "gpu5"));
  const auto domain = topology.hosts()[0].numa_domains[1];
  EXPECT_THAT(passed(topology, topology.route(first, domain)),
              ElementsAre("pcie0", "numa0", "numa1"));
}

TEST(Peers, every_gpu_of_the_cube_mesh_has_six_nvlinks) {
  const Topology topology = read_cluster(Value::from_text("test", "dgx1v")).topology;
  for (std::size_t from = 0; from < 8; ++from) {
    double total = 0;
    for (std::size_t to = 0; to < 8; ++to)
      if (topology.nvlinked(gpu(topology, from), gpu(topology, to)))
        total += topology.route(gpu(topology, from), gpu(topology, to)).bandwidth.bytes_per_second;
    EXPECT_DOUBLE_EQ(total, 6 * 25e9) << from;
  }
}

TEST(Peers, an_nvswitch_is_preferred_to_the_pcie_switch_above_both) {
  const Topology topology = read_cluster(Value::from_text("test", "a100_nvswitch")).topology;
  for (const std::size_t other : {1u, 7u}) {
    const Route route = topology.route(gpu(topology, 0), gpu(topology, other));
    EXPECT_EQ(passed(topology, route).front(), "nvswitch0");
    EXPECT_EQ(route.links.size(), 2u);
    EXPECT_FALSE(route.peer);
  }
}

TEST(Peers, none_forbids_nvlinks_too) {
  const Topology topology =
      machine("  peer_access: none\n  nvswitch: {bandwidth: 1 GB/s, latency: 0 s}");
  EXPECT_FALSE(topology.peer_access(gpu(topology, 0), gpu(topology, 1)));
}

TEST(Iommu, peers_below_one_switch_meet_at_the_root_complex) {
  const Topology topology = machine("  iommu: true");
  const Route route = topology.route(gpu(topology, 0), gpu(topology, 1));
  EXPECT_THAT(passed(topology, route), ElementsAre("pcie0", "numa0", "pcie0", "gpu1"));
  EXPECT_DOUBLE_EQ(route.latency.count(), 4e-6);
  // Up and down the same uplink, which carries 15 GB/s in both directions together.
  EXPECT_EQ(route.bandwidth, Bandwidth{7.5e9});
  EXPECT_EQ(machine("").route(gpu(topology, 0), gpu(topology, 1)).links.size(), 2u);
}

TEST(Iommu, so_do_a_gpu_and_its_nic) {
  const Topology topology = machine("  iommu: true");
  const Route route = topology.route(gpu(topology, 2), gpu(topology, 3, 1));
  EXPECT_THAT(passed(topology, route), ElementsAre("pcie1", "numa0", "pcie1", "nic1", "switch",
                                                   "nic1", "pcie1", "numa0", "pcie1", "gpu3"));
}

TEST(Iommu, nvlink_is_not_pcie) {
  const Topology topology =
      machine("  iommu: true\n  nvlink: {pairs: [[0, 1]], bandwidth: 25 GB/s, latency: 1 us}");
  EXPECT_EQ(topology.route(gpu(topology, 0), gpu(topology, 1)).links.size(), 1u);
}

TEST(Staging, without_peer_access_data_meets_in_the_nearest_memory_of_the_sender) {
  const Topology topology = machine("  staging: {latency: 7 us}");
  const Host& host = topology.hosts()[0];
  const StagedRoute journey = topology.staged_route(host.gpus[5], host.gpus[0]);
  ASSERT_EQ(journey.legs.size(), 2u);
  EXPECT_THAT(journey.staging, ElementsAre(host.numa_domains[1]));
  EXPECT_THAT(passed(topology, journey.legs[0]), ElementsAre("pcie2", "numa1"));
  EXPECT_THAT(passed(topology, journey.legs[1]), ElementsAre("numa0", "pcie0", "gpu0"));
  EXPECT_DOUBLE_EQ(journey.latency.count(), 4 * 1e-6 + 0.1e-6 + 7e-6);
}

TEST(Staging, with_peer_access_there_is_one_leg) {
  const Topology topology = machine("  staging: {latency: 7 us}");
  const StagedRoute journey = topology.staged_route(gpu(topology, 0), gpu(topology, 3));
  ASSERT_EQ(journey.legs.size(), 1u);
  EXPECT_TRUE(journey.staging.empty());
  EXPECT_DOUBLE_EQ(journey.latency.count(), 4e-6);
}

TEST(Staging, without_gpudirect_gpus_copy_to_and_from_the_memory_near_them) {
  const Topology topology = machine("  gpudirect: false\n  staging: {latency: 7 us}");
  const Vertex from = gpu(topology, 0), to = gpu(topology, 7, 1);
  const StagedRoute journey = topology.staged_route(from, to);
  ASSERT_EQ(journey.legs.size(), 3u);
  EXPECT_THAT(journey.staging, ElementsAre(topology.hosts()[0].numa_domains[0],
                                           topology.hosts()[1].numa_domains[1]));
  EXPECT_EQ(journey.legs[1].links, topology.route(journey.staging[0], journey.staging[1]).links);
  EXPECT_EQ(machine("").staged_route(from, to).legs.size(), 1u);
  const StagedRoute to_memory = topology.staged_route(from, topology.hosts()[1].numa_domains[0]);
  EXPECT_EQ(to_memory.legs.size(), 2u);
}

TEST(Rails, there_is_one_for_each_nic) {
  const Topology topology = machine("");
  const Vertex from = gpu(topology, 0), to = topology.hosts()[1].numa_domains[1];
  const std::vector<Route> rails = topology.rails(from, to);
  ASSERT_EQ(rails.size(), 3u);
  EXPECT_THAT(passed(topology, rails[0]),
              ElementsAre("pcie0", "nic0", "switch", "nic0", "pcie0", "numa0", "numa1"));
  EXPECT_THAT(passed(topology, rails[1]), ElementsAre("pcie0", "numa0", "pcie1", "nic1", "switch",
                                                      "nic1", "pcie1", "numa0", "numa1"));
  EXPECT_THAT(passed(topology, rails[2]),
              ElementsAre("pcie0", "numa0", "numa1", "nic2", "switch", "nic2", "numa1"));
  EXPECT_THAT(passed(topology, topology.route(from, to)).at(1), "nic0");
}

TEST(Rails, inside_a_host_there_is_one) {
  const Topology topology = machine("");
  EXPECT_EQ(topology.rails(gpu(topology, 0), gpu(topology, 4)).size(), 1u);
}

struct Measured {
  std::string metric;
  std::size_t from = 0, to = 0;
  double value = 0;
};

std::vector<Measured> published_matrix() {
  std::ifstream file(data_directory() + "/validation/published/p2p-gtx1080ti-x4.csv");
  std::vector<Measured> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("latency") && !line.starts_with("bandwidth")) continue;
    const auto comma = line.find(',');
    rows.push_back({line.substr(0, comma), std::stoul(line.substr(comma + 1, 1)),
                    std::stoul(line.substr(comma + 3, 1)), std::stod(line.substr(comma + 5))});
  }
  return rows;
}

TEST(Gtx1080Ti, one_near_and_one_far_pair_tell_the_published_matrix) {
  const Topology topology = read_cluster(Value::from_text("test", "gtx1080ti_x4")).topology;
  const std::vector<Measured> rows = published_matrix();
  ASSERT_EQ(rows.size(), 2u * 4 * 4);
  for (const auto& [metric, from, to, value] : rows) {
    if (from == to) continue;
    const StagedRoute journey = topology.staged_route(gpu(topology, from), gpu(topology, to));
    double bandwidth = INFINITY;
    for (const Route& leg : journey.legs)
      bandwidth = std::min(bandwidth, leg.bandwidth.bytes_per_second / 1e9);
    if (metric == "latency_us") {
      EXPECT_NEAR(journey.latency.count() * 1e6 / value, 1, 0.15) << from << " to " << to;
    } else {
      EXPECT_NEAR(bandwidth / value, 1, 0.05) << from << " to " << to;
    }
  }
}

// The GPU and the NIC meet at switch `a`, from which two switches lead to the domain: which of them
// an IOMMU takes goes by no flow, but by the numbers of the components.
TEST(Peers, a_choice_of_the_iommu_is_one_that_no_flow_shows) {
  for (const bool iommu : {false, true}) {
    Topology topology;
    const int host = topology.add_host("a");
    topology.host(host).iommu = iommu;
    const auto add = [&](ComponentKind kind, const std::string& name, int of = -1) {
      return topology.add_component({.kind = kind, .name = name, .host = of});
    };
    const auto join = [&](Vertex one, Vertex other) {
      topology.connect(one, other, {1e9}, Seconds(1e-6));
    };
    const Vertex domain = add(ComponentKind::numa_domain, "a/numa0", host);
    const Vertex gpu = add(ComponentKind::gpu, "a/gpu0", host);
    const Vertex nic = add(ComponentKind::nic, "a/nic0", host);
    const Vertex middle = add(ComponentKind::pcie_switch, "a/pcie0", host);
    const Vertex remote = add(ComponentKind::network_switch, "switch");
    join(gpu, middle);
    join(middle, nic);
    join(nic, remote);
    for (const char* name : {"a/pcie1", "a/pcie2"}) {
      const Vertex between = add(ComponentKind::pcie_switch, name, host);
      join(middle, between);
      join(between, domain);
    }
    const std::vector<int> links = topology.route(gpu, remote).links;
    for (std::uint64_t flow = 1; flow < 24; ++flow)
      EXPECT_EQ(topology.route(gpu, remote, flow).links, links);
    EXPECT_EQ(topology.has_only_route(gpu, remote), !iommu);
  }
}

}  // namespace
}  // namespace ringscope
