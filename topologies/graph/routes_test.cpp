// SPDX-License-Identifier: LGPL-2.1-or-later
// Is every route as long as its family's formula says, and are equal ones spread and repeatable?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "topologies/cluster.hpp"
#include "topologies/graph/route_search.hpp"

namespace ringscope::routes_test {
namespace {

Cluster cluster_of(const std::string& text) { return read_cluster(Value::from_text("test", text)); }

Vertex domain(const Topology& topology, std::size_t host, std::size_t index = 0) {
  return topology.hosts()[host].numa_domains[index];
}

std::size_t links_between(const Topology& topology, std::size_t a, std::size_t b) {
  return topology.route(domain(topology, a), domain(topology, b)).links.size();
}

void expect_connected(const Topology& topology, const Route& route, Vertex from, Vertex to) {
  std::string here = topology.graph()[from].name;
  for (const int id : route.links) {
    const std::string& name = topology.link(id).name;
    ASSERT_EQ(name.substr(0, name.find("->")), here);
    here = name.substr(name.find("->") + 2);
  }
  EXPECT_EQ(here, topology.graph()[to].name);
}

constexpr std::size_t attachments = 2;  // domain to NIC, and NIC to domain at the other end

TEST(Routes, route_to_self_is_empty) {
  const Cluster cluster = read_cluster(Value::from_text("test", "rack3"));
  const Route route =
      cluster.topology.route(domain(cluster.topology, 0), domain(cluster.topology, 0));
  EXPECT_TRUE(route.links.empty());
  EXPECT_TRUE(route.bandwidth.is_unlimited());
  EXPECT_EQ(route.latency, Seconds(0));
}

TEST(Routes, a_star_has_two_cables_between_any_two_hosts) {
  const Cluster cluster = read_cluster(Value::from_text("test", "rack3"));
  const Topology& topology = cluster.topology;
  const Vertex from = domain(topology, 0), to = domain(topology, 2);
  const Route route = topology.route(from, to);
  EXPECT_EQ(route.links.size(), attachments + 2);
  EXPECT_DOUBLE_EQ(route.latency.count(), 2 * 5e-6);
  EXPECT_EQ(route.bandwidth, Bandwidth{10e9 / 8});
  EXPECT_EQ(topology.link(route.links[1]).name, "host0/nic0->switch");
  expect_connected(topology, route, from, to);
}

TEST(Routes, racks_are_two_cables_inside_and_four_between) {
  const Cluster cluster = read_cluster(Value::from_text("test", "two_level"));
  EXPECT_EQ(links_between(cluster.topology, 0, 7), attachments + 2);
  EXPECT_EQ(links_between(cluster.topology, 0, 8), attachments + 4);
  const Route route =
      cluster.topology.route(domain(cluster.topology, 0), domain(cluster.topology, 8));
  EXPECT_EQ(route.bandwidth, Bandwidth{10e9 / 8});
  EXPECT_EQ(cluster.topology.link(route.links[2]).bandwidth, (Bandwidth{8 * 10e9 / 8 / 4}));
}

TEST(Routes, a_fat_tree_has_two_four_or_six_cables) {
  const Cluster cluster = read_cluster(Value::from_text("test", "fat_tree"));
  const Topology& topology = cluster.topology;
  ASSERT_EQ(topology.hosts().size(), 16u);
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < 16; ++b) {
      if (a == b) continue;
      const std::size_t cables = a / 2 == b / 2 ? 2 : a / 4 == b / 4 ? 4 : 6;
      const Route route = topology.route(domain(topology, a), domain(topology, b), a + b);
      EXPECT_EQ(route.links.size(), attachments + cables);
      expect_connected(topology, route, domain(topology, a), domain(topology, b));
    }
  }
}

TEST(Routes, a_torus_has_the_sum_of_the_ring_distances) {
  const int sizes[] = {2, 3, 5};
  const Cluster cluster = cluster_of(
      "network: torus\ndimensions: [2, 3, 5]\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
      "host: {type: simple}");
  const auto ring = [](int a, int b, int size) {
    return std::min(std::abs(a - b), size - std::abs(a - b));
  };
  for (int a = 0; a < 30; ++a) {
    for (int b = 0; b < 30; ++b) {
      if (a == b) continue;
      const int distance = ring(a / 15, b / 15, sizes[0]) + ring(a / 5 % 3, b / 5 % 3, sizes[1]) +
                           ring(a % 5, b % 5, sizes[2]);
      EXPECT_EQ(
          links_between(cluster.topology, static_cast<std::size_t>(a), static_cast<std::size_t>(b)),
          attachments + 2 + static_cast<std::size_t>(distance));
    }
  }
}

TEST(Routes, the_far_socket_sends_through_the_near_one) {
  const Cluster cluster = read_cluster(Value::from_text("test", "numa_pair"));
  const Topology& topology = cluster.topology;
  EXPECT_EQ(topology.route(domain(topology, 0, 0), domain(topology, 0, 1)).links.size(), 1u);
  const Route route = topology.route(domain(topology, 0, 1), domain(topology, 1, 1));
  EXPECT_EQ(route.links.size(), 1 + 1 + 2 + 1 + 1u);
  EXPECT_DOUBLE_EQ(route.latency.count(), 2 * (100e-9 + 300e-9 + 1e-6));
}

TEST(Routes, a_gpu_takes_the_nic_below_its_own_switch) {
  const Cluster cluster = read_cluster(Value::from_text("test", "gpu_pair"));
  const Topology& topology = cluster.topology;
  const auto& gpus = topology.hosts()[0].gpus;
  ASSERT_EQ(gpus.size(), 4u);
  EXPECT_EQ(topology.route(gpus[0], gpus[1]).links.size(), 2u);
  EXPECT_EQ(topology.route(gpus[0], gpus[2]).links.size(), 5u);
  const Route route = topology.route(gpus[3], topology.hosts()[1].gpus[3]);
  EXPECT_EQ(route.links.size(), 6u);
  EXPECT_EQ(topology.link(route.links[1]).name, "host0/pcie1->host0/nic1");
}

// Below each switch two GPUs and two NICs: whatever the flow, each GPU has a NIC of its own.
TEST(Routes, gpus_of_one_switch_take_its_nics_in_turn) {
  const Cluster cluster = cluster_of(
      "network: star\nhosts: 2\nlink: {bandwidth: 10 GB/s, latency: 1 us}\n"
      "host:\n  type: pcie_tree\n  sockets: 1\n  switches_per_socket: 2\n  gpus_per_switch: 2\n"
      "  switch_uplink: {bandwidth: 16 GB/s, latency: 1 us}\n"
      "  gpu: {bandwidth: 16 GB/s, latency: 1 us}\n"
      "  nics: [{switch: 0}, {switch: 0}, {switch: 1}, {switch: 1}]\n");
  const Topology& topology = cluster.topology;
  for (std::size_t gpu = 0; gpu < 4; ++gpu)
    for (std::size_t other = 0; other < 4; ++other)
      for (std::uint64_t flow = 0; flow < 16; ++flow) {
        const Vertex from = topology.hosts()[0].gpus[gpu], to = topology.hosts()[1].gpus[other];
        const Route route = topology.route(from, to, flow);
        expect_connected(topology, route, from, to);
        ASSERT_EQ(route.links.size(), 6u);
        EXPECT_EQ(topology.target_of(route.links[1]), topology.hosts()[0].nics[gpu]);
        EXPECT_EQ(topology.target_of(route.links[3]), topology.hosts()[1].nics[other]);
      }
}

TEST(Routes, flows_spread_over_equal_ways_and_each_keeps_its_own) {
  const Cluster cluster = read_cluster(Value::from_text("test", "fat_tree"));
  const Topology& topology = cluster.topology;
  std::map<std::vector<int>, int> uses;
  constexpr int flows = 4000;
  for (std::uint64_t flow = 0; flow < flows; ++flow) {
    const Route route = topology.route(domain(topology, 0), domain(topology, 15), flow);
    EXPECT_EQ(route.links, topology.route(domain(topology, 0), domain(topology, 15), flow).links);
    ++uses[route.links];
  }
  ASSERT_EQ(uses.size(), 4u);  // (k/2)^2 core switches
  // Each is chosen with probability 1/4; six standard deviations of the binomial are 164.
  for (const auto& [links, count] : uses) EXPECT_NEAR(count, flows / 4, 164);
}

TEST(Routes, parallel_uplinks_are_all_used) {
  const Cluster cluster = cluster_of(
      "network: two_level\nracks: 2\nhosts_per_rack: 2\nuplinks: 3\n"
      "link: {bandwidth: 1 GB/s, latency: 1 us}\nuplink: {bandwidth: 1 GB/s}\n"
      "host: {type: simple}");
  std::set<int> up;
  for (std::uint64_t flow = 0; flow < 100; ++flow)
    up.insert(cluster.topology.route(domain(cluster.topology, 0), domain(cluster.topology, 3), flow)
                  .links[2]);
  EXPECT_EQ(up.size(), 3u);
}

TEST(Routes, a_cable_may_receive_faster_than_it_sends) {
  const Cluster cluster = cluster_of(
      "network: star\nhosts: 2\n"
      "link: {bandwidth: 2 GB/s, receive_bandwidth: 4 GB/s, latency: 1 us}\n"
      "host: {type: simple}");
  const Topology& topology = cluster.topology;
  const Route route = topology.route(domain(topology, 0), domain(topology, 1));
  EXPECT_EQ(topology.link(route.links[1]).bandwidth, Bandwidth{2e9});
  EXPECT_EQ(topology.link(route.links[2]).bandwidth, Bandwidth{4e9});
}

TEST(Routes, an_uplink_scales_with_both_directions_of_the_hosts_cables) {
  const Cluster cluster = cluster_of(
      "network: two_level\nracks: 2\nhosts_per_rack: 4\noversubscription: 2\n"
      "link: {bandwidth: 2 GB/s, receive_bandwidth: 4 GB/s, latency: 1 us}\n"
      "uplink: {both: 5 GB/s}\nhost: {type: simple}");
  const Topology& topology = cluster.topology;
  const Route route = topology.route(domain(topology, 0), domain(topology, 7));
  EXPECT_EQ(topology.link(route.links[2]).bandwidth, Bandwidth{4 * 2e9 / 2});
  EXPECT_EQ(topology.link(route.links[3]).bandwidth, Bandwidth{4 * 4e9 / 2});
  EXPECT_EQ(topology.link(route.links[2]).both, Bandwidth{5e9});
}

TEST(Routes, an_uplink_scales_with_all_nics_of_a_racks_hosts) {
  const Cluster cluster = cluster_of(
      "network: two_level\nracks: 2\nhosts_per_rack: 2\noversubscription: 2\nuplinks: 2\n"
      "link: {bandwidth: 12.5 GB/s, latency: 1 us}\n"
      "host: {type: numa, nics: [{}, {}, {domain: 1}, {domain: 1}]}\n"
      "unlike: [{hosts: [host3], host: {nics: [{}]}, link: {bandwidth: 5 GB/s}}]");
  const Topology& topology = cluster.topology;
  const Route route = topology.route(domain(topology, 0), domain(topology, 2));
  // Each of two cables; the second rack has one host with a single NIC of 5 GB/s.
  EXPECT_EQ(topology.link(route.links[2]).bandwidth, Bandwidth{2 * 4 * 12.5e9 / 2 / 2});
  EXPECT_EQ(topology.link(route.links[3]).bandwidth, Bandwidth{(4 * 12.5e9 + 5e9) / 2 / 2});
}

TEST(Routes, the_seed_of_the_hash_chooses_among_equal_ones) {
  const auto uplinks = [](const std::string& seed) {
    const Cluster cluster = cluster_of(
        "network: two_level\nracks: 2\nhosts_per_rack: 2\nuplinks: 8\n"
        "link: {bandwidth: 1 GB/s, latency: 1 us}\nuplink: {bandwidth: 1 GB/s}\n"
        "host: {type: simple}\n" +
        seed);
    const Topology& topology = cluster.topology;
    RouteCache known(topology.graph(), topology.hosts());
    std::vector<int> up;
    for (std::uint64_t flow = 0; flow < 32; ++flow) {
      const Vertex from = domain(topology, 0), to = domain(topology, 3);
      up.push_back(topology.route(from, to, flow).links[2]);
      EXPECT_EQ(up.back(), topology.route(from, to, flow, &known).links[2]);
    }
    return up;
  };
  EXPECT_EQ(uplinks(""), uplinks("hash_seed: 0"));
  EXPECT_EQ(uplinks("hash_seed: 7"), uplinks("hash_seed: 7"));
  EXPECT_NE(uplinks("hash_seed: 7"), uplinks("hash_seed: 8"));
  EXPECT_NE(uplinks("hash_seed: 7"), uplinks(""));
}

TEST(Routes, parallel_cables_have_a_name_each) {
  const Cluster cluster = cluster_of(
      "network: two_level\nracks: 2\nhosts_per_rack: 1\nuplinks: 12\n"
      "link: {bandwidth: 1 GB/s, latency: 1 us}\nuplink: {bandwidth: 1 GB/s}\n"
      "host: {type: simple}");
  std::set<std::string> names;
  for (int id = 0; id < cluster.topology.link_count(); ++id)
    names.insert(cluster.topology.link(id).name);
  EXPECT_EQ(static_cast<int>(names.size()), cluster.topology.link_count());
  for (const char* name : {"rack0/switch->core#0", "core->rack0/switch#0", "rack1/switch->core#11",
                           "host0/nic0->rack0/switch"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Routes, sockets_without_a_link_go_through_others) {
  const Cluster cluster = cluster_of(
      "network: star\nhosts: 1\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
      "host: {type: numa, sockets: 4, socket_link: {pairs: [[0, 1], [1, 2], [2, 3], [3, 0]]}}");
  const Topology& topology = cluster.topology;
  EXPECT_EQ(topology.route(domain(topology, 0, 0), domain(topology, 0, 3)).links.size(), 1u);
  EXPECT_EQ(topology.route(domain(topology, 0, 0), domain(topology, 0, 2)).links.size(), 2u);
}

TEST(Routes, hosts_do_not_forward) {
  Topology topology;
  const auto host = [&](const std::string& name) {
    const int index = topology.add_host(name);
    return topology.add_component(
        {.kind = ComponentKind::numa_domain, .name = name + "/numa0", .host = index, .cores = 1});
  };
  const Vertex a = host("a"), b = host("b"), c = host("c");
  topology.connect(a, b, Bandwidth{1}, Seconds(0));
  topology.connect(b, c, Bandwidth{1}, Seconds(0));
  EXPECT_EQ(topology.route(a, b).links.size(), 1u);
  EXPECT_THROW(topology.route(a, c), std::logic_error);
}

TEST(Routes, a_large_star_costs_no_more_than_a_small_one) {
  const Cluster cluster = cluster_of(
      "network: star\nhosts: 65536\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
      "host: {type: simple}");
  for (std::size_t i = 1; i < 50000; ++i)  // visiting all hosts each time would take minutes
    EXPECT_EQ(links_between(cluster.topology, 0, i), attachments + 2);
}

/// Two hosts with a domain each, which meet at so many switches, each by a NIC of its own.
Topology joined_by(int switches) {
  Topology topology;
  std::vector<Vertex> domains;
  for (const std::string name : {"a", "b"}) {
    const int host = topology.add_host(name);
    domains.push_back(topology.add_component(
        {.kind = ComponentKind::numa_domain, .name = name + "/numa0", .host = host}));
  }
  for (int i = 0; i < switches; ++i) {
    const std::string number = std::to_string(i);
    const Vertex middle =
        topology.add_component({.kind = ComponentKind::network_switch, .name = "switch" + number});
    for (const Vertex end : domains) {
      const int host = topology.graph()[end].host;
      const std::string name = topology.hosts()[host].name;
      const Vertex nic = topology.add_component(
          {.kind = ComponentKind::nic, .name = name + "/nic" + number, .host = host});
      topology.connect(end, nic, {1e9}, Seconds(1e-6));
      topology.connect(nic, middle, {1e9}, Seconds(1e-6));
    }
  }
  return topology;
}

TEST(Routes, equal_routes_are_not_unique) {
  for (const int switches : {1, 2, 3, 4}) {
    const Topology topology = joined_by(switches);
    const Vertex from = domain(topology, 0), to = domain(topology, 1);
    RouteCache known(topology.graph(), topology.hosts());
    EXPECT_EQ(topology.has_only_route(from, to), switches == 1) << switches;
    EXPECT_EQ(topology.has_only_route(from, to, &known), switches == 1) << switches;
    EXPECT_TRUE(topology.has_only_rails(from, to)) << "by each NIC there is one";
  }
}

}  // namespace
}  // namespace ringscope::routes_test
