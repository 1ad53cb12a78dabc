// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every broken cluster draw exactly the error that helps?
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope {
namespace {

const Broken broken_clusters[] = {
    {"no/such.yaml",
     "x.yaml:1:1: no file is at 'no/such.yaml'\n"
     "  no/such.yaml\n"
     "  ^"},
    {"[rack3]",
     "x.yaml:1:1: cluster: expected a map of keys and values, got a list\n"
     "  [rack3]\n"
     "  ^"},
    {"", "x.yaml: cluster: expected a map of keys and values, got nothing"},
    {"hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:1:1: cluster: the key 'network' is missing\n"
     "  hosts: 3\n"
     "  ^"},
    {"network: sta\n"
     "host: {type: simple}\n",
     "x.yaml:1:10: unknown network 'sta'; did you mean 'star'? (known: star, two_level, fat_tree, "
     "torus, fabric, dragonfly, rails)\n"
     "  network: sta\n"
     "           ^"},
    {"network: [star]\n"
     "host: {type: simple}\n",
     "x.yaml:1:10: expected the name of a network, got a list\n"
     "  network: [star]\n"
     "           ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n",
     "x.yaml:1:1: cluster: the key 'host' is missing\n"
     "  network: star\n"
     "  ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n"
     "hots: 3\n",
     "x.yaml:5:1: cluster: unknown key 'hots'; did you mean 'hosts'? (known: about, network, host, "
     "unlike, hosts, link, hash_seed, routing, degraded)\n"
     "  hots: 3\n"
     "  ^"},
    {"network: star\n"
     "hosts: three\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:8: expected a whole number from 1 to 1048576, got \"three\"\n"
     "  hosts: three\n"
     "         ^"},
    {"network: star\n"
     "hosts: -1\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:8: expected a whole number from 1 to 1048576, got \"-1\"\n"
     "  hosts: -1\n"
     "         ^"},
    {"network: star\n"
     "hosts: 1048577\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:8: expected a whole number from 1 to 1048576, got \"1048577\"\n"
     "  hosts: 1048577\n"
     "         ^"},
    {"network: star\n"
     "hosts: 1048576\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:8: the cluster is too large: 1048576 hosts of 2 components and the switches make "
     "2097153, more than 1048576 components\n"
     "  hosts: 1048576\n"
     "         ^"},
    {"base: two_level\n"
     "racks: 200000\n",
     "x.yaml:2:8: the cluster is too large: 1600000 hosts of 2 components and the switches make "
     "3400001, more than 1048576 components\n"
     "  racks: 200000\n"
     "         ^"},
    {"base: h100_rails\n"
     "pods: 100000\n",
     "x.yaml:2:7: the cluster is too large: 400000 hosts of 27 components and the switches make "
     "11600004, more than 1048576 components\n"
     "  pods: 100000\n"
     "        ^"},
    {"network: torus\n"
     "dimensions: [1000, 1000]\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:13: the cluster is too large: 1000000 hosts of 2 components and the switches "
     "make 3000000, more than 1048576 components\n"
     "  dimensions: [1000, 1000]\n"
     "              ^"},
    {"network: fat_tree\n"
     "k: 128\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:4: the cluster is too large: 524288 hosts of 2 components and the switches make "
     "1069056, more than 1048576 components\n"
     "  k: 128\n"
     "     ^"},
    {"network: star\n"
     "hosts: []\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:8: expected at least one host\n"
     "  hosts: []\n"
     "         ^"},
    {"network: star\n"
     "hosts: [a, a]\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:12: the name 'a' is taken\n"
     "  hosts: [a, a]\n"
     "             ^"},
    {"network: star\n"
     "hosts: [a/b]\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:9: expected a host's name of letters, digits, '.', '_' and '-', got 'a/b'\n"
     "  hosts: [a/b]\n"
     "          ^"},
    {"network: star\n"
     "hosts: [a, n1;reboot]\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:12: expected a host's name of letters, digits, '.', '_' and '-', got 'n1;reboot'\n"
     "  hosts: [a, n1;reboot]\n"
     "             ^"},
    {"network: star\n"
     "hosts: 3\n"
     "host: {type: simple}\n",
     "x.yaml:1:1: cluster: the key 'link' is missing\n"
     "  network: star\n"
     "  ^"},
    {"network: fat_tree\n"
     "k: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:4: expected an even number of ports, got \"3\"\n"
     "  k: 3\n"
     "     ^"},
    {"network: fat_tree\n"
     "k: 4\n"
     "hosts: 17\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:3:8: expected a whole number from 1 to 16, got \"17\"\n"
     "  hosts: 17\n"
     "         ^"},
    {"network: torus\n"
     "dimensions: 64\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:13: expected a list of 1 to 16 sizes such as [4, 4, 4]\n"
     "  dimensions: 64\n"
     "              ^"},
    {"network: torus\n"
     "dimensions: [4, 0]\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:2:17: expected a whole number from 1 to 262144, got \"0\"\n"
     "  dimensions: [4, 0]\n"
     "                  ^"},
    {"network: two_level\n"
     "racks: 2\n"
     "hosts_per_rack: 2\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:1:1: a two_level network needs 'oversubscription' or the uplink's 'bandwidth'\n"
     "  network: two_level\n"
     "  ^"},
    {"network: two_level\n"
     "racks: 2\n"
     "hosts_per_rack: 2\n"
     "oversubscription: 2\n"
     "uplink: {bandwidth: 1 GB/s}\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:4:19: 'oversubscription' and the uplink's 'bandwidth' exclude each other\n"
     "  oversubscription: 2\n"
     "                    ^"},
    {"network: two_level\n"
     "racks: 2\n"
     "hosts_per_rack: 2\n"
     "oversubscription: 0.5\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:4:19: expected a number from 1 to 1000000, got \"0.5\"\n"
     "  oversubscription: 0.5\n"
     "                    ^"},
    {"network: star\n"
     "hosts: 2\n"
     "link: {bandwith: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:3:8: link: unknown key 'bandwith'; did you mean 'bandwidth'?\n"
     "  link: {bandwith: 1 GB/s, latency: 1 us}\n"
     "         ^"},
    {"network: two_level\n"
     "racks: 2\n"
     "hosts_per_rack: 2\n"
     "uplink: {bandwidth: 1 GB/s}\n"
     "host: {type: simple}\n",
     "x.yaml:1:1: cluster: the key 'link' is missing\n"
     "  network: two_level\n"
     "  ^"},
    {"base: rack3\n"
     "unlike: [{hosts: [host3], host: {cores: 2}}]\n",
     "x.yaml:2:19: unknown host 'host3' (known: host0, host1, host2)\n"
     "  unlike: [{hosts: [host3], host: {cores: 2}}]\n"
     "                    ^"},
    {"base: rack3\n"
     "unlike: [{hosts: [host2], host: {core: 2}}]\n",
     "x.yaml:2:34: host: unknown key 'core'; did you mean 'cores'? (known: type, cores, "
     "memory_bandwidth, memory)\n"
     "  unlike: [{hosts: [host2], host: {core: 2}}]\n"
     "                                   ^"},
    {"base: rack3\n"
     "unlike: [{hosts: [host2]}]\n",
     "x.yaml:2:10: unlike: expected what differs, 'host' or 'link'\n"
     "  unlike: [{hosts: [host2]}]\n"
     "           ^"},
    {"base: rack3\n"
     "unlike: [{hosts: [host2, host2], link: {latency: 1 us}}]\n",
     "x.yaml:2:26: duplicate 'host2'\n"
     "  unlike: [{hosts: [host2, host2], link: {latency: 1 us}}]\n"
     "                           ^"},
    {"base: [rack3]\n",
     "x.yaml:1:7: expected the name of a cluster\n"
     "  base: [rack3]\n"
     "        ^"},
    {"base: rack3\n"
     "hosts: 3 hosts\n",
     "x.yaml:2:8: expected a whole number from 1 to 1048576, got \"3 hosts\"\n"
     "  hosts: 3 hosts\n"
     "         ^"},
};

TEST(ClusterErrors, say_what_was_expected_and_where) {
  for (const auto& [input, complaint] : broken_clusters) {
    const auto read = [&text = input] { read_cluster(Value::from_text("x.yaml", text)); };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

}  // namespace
}  // namespace ringscope
