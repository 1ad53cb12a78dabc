// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a fabric have what its YAML lists, and every mistake in it its place?
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint_for_test.hpp"
#include "topologies/networks/levels.hpp"

namespace ringscope {
namespace {

const std::string head =
    "network: fabric\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
    "host: {type: numa, sockets: 1, nics: [{}, {}]}\n";

Cluster cluster_of(const std::string& text) {
  return read_cluster(Value::from_text("x.yaml", head + text));
}

constexpr const char* small =
    "switches: [a, b, s]\n"
    "hosts: [{name: n1, to: [a, b]}, {name: n2, to: [b]},\n"
    "        {name: n3, to: [{switch: a, link: {bandwidth: 2 GB/s}}]}]\n"
    "trunk: {latency: 3 us}\n"
    "trunks: [{from: a, to: s, cables: 2}, {from: b, to: s, link: {bandwidth: 4 GB/s}}]\n";

TEST(Fabric, has_the_hosts_switches_and_cables_of_its_lists) {
  const Cluster cluster = cluster_of(small);
  for (const Topology& topology : {cluster.topology, read_cluster(cluster.resolved).topology}) {
    ASSERT_EQ(topology.hosts().size(), 3U);
    EXPECT_EQ(topology.hosts()[0].nics.size(), 2U);
    EXPECT_EQ(topology.hosts()[1].nics.size(), 1U);
    // 2 NICs a host inside, 4 cables of hosts, 3 between switches; both directions.
    EXPECT_EQ(topology.link_count(), 2 * (3 * 2 + 4 + 3));
    const auto levels = network_levels(topology);
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_EQ(levels[0].hosts, 4);
    EXPECT_EQ(levels[0].up, 3);
    // From below 1 + 2 and 1 + 1 GB/s, to above 2 x 1 and 4.
    EXPECT_DOUBLE_EQ(levels[0].oversubscription, 5.0 / 6);
    EXPECT_DOUBLE_EQ(levels[0].least, 0.5);
    EXPECT_DOUBLE_EQ(levels[0].most, 1.5);
    const auto far =
        topology.route(topology.hosts()[2].numa_domains[0], topology.hosts()[1].numa_domains[0]);
    EXPECT_DOUBLE_EQ(far.latency.count(), (1 + 3 + 3 + 1) * 1e-6);
  }
}

const Broken broken[] = {
    {"switches: [a]\nhosts: [{name: n1, to: [b]}]\n",
     "x.yaml:5:25: unknown switch 'b'; did you mean 'a'? (known: a)\n"
     "  hosts: [{name: n1, to: [b]}]\n"
     "                          ^"},
    {"switches: [a, a]\nhosts: [{name: n1, to: [a]}]\n",
     "x.yaml:4:15: the name 'a' is taken\n"
     "  switches: [a, a]\n"
     "                ^"},
    {"switches: [a]\nhosts: [{name: n1, to: [a, a, a]}]\n",
     "x.yaml:5:24: 'n1' has 2 of the 3 NICs that these links need; name them in 'host', as in "
     "nics: [{}, {}] of type numa\n"
     "  hosts: [{name: n1, to: [a, a, a]}]\n"
     "                         ^"},
    {"switches: [a/b]\nhosts: [{name: n1, to: [a]}]\n",
     "x.yaml:4:12: a name in a fabric has no blank, quote, '/', '#' or '>', got 'a/b'\n"
     "  switches: [a/b]\n"
     "             ^"},
    {"switches: [a]\nhosts: [{name: a/b, to: [a]}]\n",
     "x.yaml:5:16: expected a host's name of letters, digits, '.', '_' and '-', got 'a/b'\n"
     "  hosts: [{name: a/b, to: [a]}]\n"
     "                 ^"},
    {"switches: [a]\nhosts: [{name: n1;reboot, to: [a]}]\n",
     "x.yaml:5:16: expected a host's name of letters, digits, '.', '_' and '-', got 'n1;reboot'\n"
     "  hosts: [{name: n1;reboot, to: [a]}]\n"
     "                 ^"},
    {"switches: [a]\nhosts: [{name: $(reboot), to: [a]}]\n",
     "x.yaml:5:16: expected a host's name of letters, digits, '.', '_' and '-', got '$(reboot)'\n"
     "  hosts: [{name: $(reboot), to: [a]}]\n"
     "                 ^"},
    {"switches: [a]\nhosts: [{name: n 1, to: [a]}]\n",
     "x.yaml:5:16: expected a host's name of letters, digits, '.', '_' and '-', got 'n 1'\n"
     "  hosts: [{name: n 1, to: [a]}]\n"
     "                 ^"},
    {"switches: [a]\nhosts: [{name: it's, to: [a]}]\n",
     "x.yaml:5:16: expected a host's name of letters, digits, '.', '_' and '-', got 'it's'\n"
     "  hosts: [{name: it's, to: [a]}]\n"
     "                 ^"},
    {"switches: [a]\nhosts: [{name: \"n\\n1\", to: [a]}]\n",
     "x.yaml:5:16: expected a host's name of letters, digits, '.', '_' and '-', got 'n\\n1'\n"
     "  hosts: [{name: \"n\\n1\", to: [a]}]\n"
     "                 ^"},
    {"switches: [a]\nhosts: 3\n",
     "x.yaml:5:8: expected a list such as [{name: n1, to: [leaf1]}, {name: n2, to: [leaf2]}]\n"
     "  hosts: 3\n"
     "         ^"},
    {"switches: [a]\nhosts: [{name: n1, to: [a]}]\ntrunks: [{from: a, to: a}]\n",
     "x.yaml:6:24: a link joins two switches, and both ends are this one\n"
     "  trunks: [{from: a, to: a}]\n"
     "                         ^"},
    {"switches: [a, b]\nhosts: [{name: n1, to: [a]}, {name: n2, to: [b]}]\n",
     "x.yaml:1:10: no route leads from 'n1/numa0' to 'n2/numa0'\n"
     "  network: fabric\n"
     "           ^"},
};

TEST(Fabric, errors_say_what_was_expected_and_where) {
  for (const auto& [input, complaint] : broken)
    EXPECT_EQ(complaint_of([&text = input] { cluster_of(text); }), complaint) << input;
}

}  // namespace
}  // namespace ringscope
