// SPDX-License-Identifier: LGPL-2.1-or-later
// Do dragonflies and rail-optimised networks have the cables, distances and bisection of their
// closed forms?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::families_test {
namespace {

Topology topology_of(const std::string& text) {
  return read_cluster(
             Value::from_text("x.yaml", text + "\nlink: {bandwidth: 1 GB/s, latency: 1 us}"))
      .topology;
}

const std::string one_nic = "\nhost: {type: simple}";

/// Cables whose two ends `belong`.
int cables(const Topology& topology,
           const std::function<bool(const Component&, const Component&)>& belong) {
  int count = 0;
  for (int id = 0; id < topology.link_count(); id += 2)
    if (topology.is_cable(id) &&
        belong(topology.graph()[topology.source_of(id)], topology.graph()[topology.target_of(id)]))
      ++count;
  return count;
}

std::size_t cables_between(const Topology& topology, std::size_t from, std::size_t to) {
  const Route route = topology.route(topology.hosts()[from].nics[0], topology.hosts()[to].nics[0]);
  return route.links.size();
}

std::string group_of(const Component& router) {
  return router.name.substr(0, router.name.find('/'));
}

struct Sizes {
  int groups, routers, hosts, ports;
};

// Kim et al., ISCA 2008: p hosts, a routers a group, h global ports, at most a h + 1 groups.
TEST(Dragonfly, has_the_cables_of_its_closed_form) {
  for (const auto& [g, a, p, h] : {Sizes{9, 4, 2, 2}, Sizes{5, 4, 2, 2}, Sizes{3, 3, 1, 1}}) {
    const Topology topology = topology_of(
        fmt::format("network: dragonfly\ngroups: {}\nrouters: {}\nhosts_per_router: {}\n"
                    "global_ports: {}",
                    g, a, p, h) +
        one_nic);
    EXPECT_EQ(std::ssize(topology.hosts()), g * a * p);
    const auto is_switch = [](const Component& c) { return c.host < 0; };
    const int local = cables(topology, [&](const Component& x, const Component& y) {
      return is_switch(x) && is_switch(y) && group_of(x) == group_of(y);
    });
    const int global = cables(topology, [&](const Component& x, const Component& y) {
      return is_switch(x) && is_switch(y) && group_of(x) != group_of(y);
    });
    const int between = a * h / (g - 1);
    EXPECT_EQ(local, g * a * (a - 1) / 2);
    EXPECT_EQ(global, between * g * (g - 1) / 2);
    // The first half of the groups, and the others.
    const int bisection = cables(topology, [&](const Component& x, const Component& y) {
      const auto left = [&](const Component& c) {
        return std::stoi(group_of(c).substr(5)) < g / 2;
      };
      return is_switch(x) && is_switch(y) && left(x) != left(y);
    });
    EXPECT_EQ(bisection, between * (g / 2) * (g - g / 2));
  }
}

TEST(Dragonfly, no_router_has_more_global_cables_than_ports) {
  const Topology topology =
      topology_of("network: dragonfly\nrouters: 4\nhosts_per_router: 2\nglobal_ports: 2" + one_nic);
  EXPECT_EQ(topology.hosts().size(), 9U * 4 * 2);  // a h + 1 groups unless it says how many
  for (Vertex v = 0; v < topology.graph().size(); ++v) {
    if (topology.graph()[v].host >= 0) continue;
    EXPECT_EQ(topology.graph().edges(v).size(), 2U + 3 + 2);
  }
}

// Minimal routes: to the router with the global cable, across, to the other's router.
TEST(Dragonfly, hosts_are_at_most_one_global_and_two_local_cables_apart) {
  const Topology topology =
      topology_of("network: dragonfly\nrouters: 4\nhosts_per_router: 2\nglobal_ports: 2" + one_nic);
  std::size_t most = 0;
  for (std::size_t to = 2; to < topology.hosts().size(); ++to) {
    const std::size_t length = cables_between(topology, 0, to);
    EXPECT_LE(length, (to < 8 ? 3U : 5U)) << to;
    most = std::max(most, length);
  }
  EXPECT_EQ(cables_between(topology, 0, 1), 2U);
  EXPECT_EQ(most, 5U);
}

constexpr const char* two_rails =
    "network: rails\npods: 3\nhosts_per_pod: 4\nrails: 2\nspines: 2\nuplinks: 3\n"
    "host: {type: numa, sockets: 1, nics: [{}, {}]}";

TEST(Rails, have_a_leaf_for_each_nic_of_a_pod) {
  const Topology topology = topology_of(two_rails);
  EXPECT_EQ(topology.hosts().size(), 12U);
  const auto is_host = [](const Component& c) { return c.host >= 0; };
  EXPECT_EQ(cables(topology, [&](const Component& x,
                                 const Component& y) { return is_host(x) || is_host(y); }),
            12 * 2);
  EXPECT_EQ(cables(topology, [&](const Component& x,
                                 const Component& y) { return !is_host(x) && !is_host(y); }),
            3 * 2 * 2 * 3);  // pods, rails, spines, uplinks
  // Each pod reaches the others by all its uplinks.
  EXPECT_EQ(cables(topology,
                   [&](const Component& x, const Component& y) {
                     return x.name.starts_with("pod0/rail") || y.name.starts_with("pod0/rail");
                   }),
            4 * 2 + 2 * 2 * 3);
}

TEST(Rails, hosts_meet_at_the_leaf_of_their_rail_and_pods_at_a_spine) {
  const Topology topology = topology_of(two_rails);
  const auto links = [&](std::size_t from, std::size_t nic, std::size_t to, std::size_t other) {
    return topology.route(topology.hosts()[from].nics[nic], topology.hosts()[to].nics[other])
        .links.size();
  };
  EXPECT_EQ(links(0, 0, 3, 0), 2U);
  EXPECT_EQ(links(0, 1, 3, 1), 2U);
  EXPECT_EQ(links(0, 0, 11, 0), 4U);
}

TEST(Families, errors_say_what_was_expected_and_where) {
  const auto complaint = [](const std::string& text) {
    return complaint_of([&] { topology_of(text + one_nic); });
  };
  EXPECT_EQ(complaint("network: dragonfly\nrouters: 2\nhosts_per_router: 1\nglobal_ports: 1\n"
                      "groups: 4"),
            "x.yaml:5:9: expected a whole number from 2 to 3, got \"4\"\n"
            "  groups: 4\n"
            "          ^");
  EXPECT_EQ(complaint("network: rails\npods: 2\nhosts_per_pod: 1\nrails: 1\nspines: 0"),
            "x.yaml:5:9: expected a whole number from 1 to 1024, got \"0\"\n"
            "  spines: 0\n"
            "          ^");
}

}  // namespace
}  // namespace ringscope::families_test
