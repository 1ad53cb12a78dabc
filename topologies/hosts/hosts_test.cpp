// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every broken host draw exactly the error that helps?
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::hosts_test {
namespace {

const Broken broken[] = {
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: simple\n",
     "x.yaml:4:7: host: expected a map of keys and values, got a text\n"
     "  host: simple\n"
     "        ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simpel}\n",
     "x.yaml:4:14: unknown host type 'simpel'; did you mean 'simple'? (known: simple, numa, "
     "pcie_tree, custom)\n"
     "  host: {type: simpel}\n"
     "               ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: dgx1v}\n",
     "x.yaml:4:14: 'dgx1v' is a cluster, not a host type: for several of its hosts 'base: dgx1v' "
     "in "
     "place of 'network' and 'host', and 'hosts: N'\n"
     "  host: {type: dgx1v}\n"
     "               ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, coers: 8}\n",
     "x.yaml:4:22: host: unknown key 'coers'; did you mean 'cores'? (known: type, cores, "
     "memory_bandwidth, memory)\n"
     "  host: {type: simple, coers: 8}\n"
     "                       ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, cores: 0}\n",
     "x.yaml:4:29: expected a whole number from 1 to 65536, got \"0\"\n"
     "  host: {type: simple, cores: 0}\n"
     "                              ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, cores: 8 cores}\n",
     "x.yaml:4:29: expected a whole number from 1 to 65536, got \"8 cores\"\n"
     "  host: {type: simple, cores: 8 cores}\n"
     "                              ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, memory_bandwidth: 20}\n",
     "x.yaml:4:40: expected a bandwidth such as \"10 Gbit/s\", got \"20\", which has no unit\n"
     "  host: {type: simple, memory_bandwidth: 20}\n"
     "                                         ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, nic: {domain: 2}}\n",
     "x.yaml:4:34: expected a whole number from 0 to 1, got \"2\"\n"
     "  host: {type: numa, nic: {domain: 2}}\n"
     "                                   ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, nic: {}, nics: [{}]}\n",
     "x.yaml:4:25: 'nic' and 'nics' exclude each other\n"
     "  host: {type: numa, nic: {}, nics: [{}]}\n"
     "                          ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, nics: []}\n",
     "x.yaml:4:26: expected a list of 1 to 128 NICs\n"
     "  host: {type: numa, nics: []}\n"
     "                           ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, nics: [{name: ib0}, {name: ib0}]}\n",
     "x.yaml:4:47: duplicate NIC 'ib0'\n"
     "  host: {type: numa, nics: [{name: ib0}, {name: ib0}]}\n"
     "                                                ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, nic: {name: 1}}\n",
     "x.yaml:4:32: expected an interface's name such as enp216s0, got \"1\"\n"
     "  host: {type: numa, nic: {name: 1}}\n"
     "                                 ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: pcie_tree}\n",
     "x.yaml:4:7: host: the key 'switch_uplink' is missing\n"
     "  host: {type: pcie_tree}\n"
     "        ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, socket_link: {latency: 1 ns/B}}\n",
     "x.yaml:4:43: expected a time such as \"1.5 us\", got \"1 ns/B\"; the units are s, ms, us, "
     "ns, ps\n"
     "  host: {type: numa, socket_link: {latency: 1 ns/B}}\n"
     "                                            ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: pcie_tree, switch_uplink: {bandwidth: 1 GB/s, latency: 0 s}, gpu: {bandwidth: 1 "
     "GB/s, latency: 0 s, memory: 1.5 B}}\n",
     "x.yaml:4:122: expected a whole number of bytes such as \"64 MiB\", got \"1.5 B\"\n"
     "  tency: 0 s}, gpu: {bandwidth: 1 GB/s, latency: 0 s, memory: 1.5 B}}\n"
     "                                                              ^"},
};

// A host with two sockets, a switch on each, and one GPU below each switch.
const Broken broken_gpus[] = {
    {"peer_access: same_swich",
     "x.yaml:7:16: unknown peer access 'same_swich'; did you mean 'same_switch'? (known: none, "
     "same_switch, same_socket, all)\n"
     "    peer_access: same_swich\n"
     "                 ^"},
    {"peer_access: [[0, 2]]",
     "x.yaml:7:21: expected a whole number from 0 to 1, got \"2\"\n"
     "    peer_access: [[0, 2]]\n"
     "                      ^"},
    {"peer_access: [0, 1]",
     "x.yaml:7:17: expected pairs of GPUs such as [[0, 1], [2, 3]]\n"
     "    peer_access: [0, 1]\n"
     "                  ^"},
    {"peer_access: [[1, 1]]",
     "x.yaml:7:17: expected a pair of two GPUs, got 1 twice\n"
     "    peer_access: [[1, 1]]\n"
     "                  ^"},
    {"peer_access: [[0, 1], [1, 0]]",
     "x.yaml:7:25: duplicate pair [0, 1]\n"
     "    peer_access: [[0, 1], [1, 0]]\n"
     "                          ^"},
    {"iommu: on",
     "x.yaml:7:10: expected true or false, got \"on\"\n"
     "    iommu: on\n"
     "           ^"},
    {"staging: 5 us",
     "x.yaml:7:12: staging: expected a map of keys and values, got a text\n"
     "    staging: 5 us\n"
     "             ^"},
    {"nvlink: {pairs: all, latency: 1 us}",
     "x.yaml:7:11: nvlink: the key 'bandwidth' is missing\n"
     "    nvlink: {pairs: all, latency: 1 us}\n"
     "            ^"},
    {"nvlink: [{bandwidth: 1 GB/s, latency: 0 s}, {pairs: [[1, 0]], bandwidth: 1 GB/s, latency: 0 "
     "s}]",
     "x.yaml:7:55: the pair [0, 1] has an NVLink already\n"
     "    nvlink: [{bandwidth: 1 GB/s, latency: 0 s}, {pairs: [[1, 0]], bandwidth: 1 GB/s, "
     "latency: "
     "0 s}]\n"
     "                                                        ^"},
    {"nvswitch: {bandwidth: 1 GB/s}",
     "x.yaml:7:13: nvswitch: the key 'latency' is missing\n"
     "    nvswitch: {bandwidth: 1 GB/s}\n"
     "              ^"},
    {"gpus_per_switch: 64\n  switches_per_socket: 64\n  nvlink: {bandwidth: 1 GB/s, latency: 0 s}",
     "x.yaml:9:11: pairs of GPUs are for hosts of at most 256, got 8192\n"
     "    nvlink: {bandwidth: 1 GB/s, latency: 0 s}\n"
     "            ^"},
    {"socket_link: {pairs: none}",
     "x.yaml:7:24: expected all, or pairs of sockets such as [[0, 1], [2, 3]]\n"
     "    socket_link: {pairs: none}\n"
     "                         ^"},
    {"socket_link: {pairs: []}",
     "x.yaml:1:10: no route leads from 'host0/numa0' to 'host0/numa1'\n"
     "  network: star\n"
     "           ^"},
};

TEST(HostErrors, of_gpus_and_their_links_too) {
  for (const auto& [input, complaint] : broken_gpus) {
    const std::string cable = "{bandwidth: 1 GB/s, latency: 0 s}";
    const std::string whole = "network: star\nhosts: 1\nlink: " + cable +
                              "\nhost:\n  switch_uplink: " + cable + "\n  gpu: " + cable + "\n  " +
                              input + "\n  type: pcie_tree\n";
    const auto read = [&whole] { read_cluster(Value::from_text("x.yaml", whole)); };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

TEST(HostErrors, say_what_was_expected_and_where) {
  for (const auto& [input, complaint] : broken) {
    const auto read = [&text = input] { read_cluster(Value::from_text("x.yaml", text)); };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

}  // namespace
}  // namespace ringscope::hosts_test
