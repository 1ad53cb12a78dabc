// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a host that is spelled out built as it says, and is every slip in it named?
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::custom_test {
namespace {

const std::string head =
    "network: star\n"
    "hosts: 2\n"
    "link: {bandwidth: 1 GB/s, latency: 1 us}\n";

const std::string spelled_out =
    head +
    "host:\n"
    "  type: custom\n"
    "  domains: [{cores: 4, memory: 8 GiB}, {cores: 2, socket: 1}]\n"
    "  switches: 1\n"
    "  gpus: [{memory: 32 GiB}, {copy_engines: 2}]\n"
    "  nics: 1\n"
    "  nvswitches: 1\n"
    "  peer_access: none\n"
    "  links:\n"
    "    - {from: numa0, to: numa1, bandwidth: 40 GB/s, latency: 1 ns}\n"
    "    - {from: pcie0, to: numa1, bandwidth: 12 GB/s, latency: 2 ns,\n"
    "       both: 20 GB/s}\n"
    "    - {from: pcie0, to: gpu0, bandwidth: 11 GB/s, latency: 4 ns}\n"
    "    - {from: pcie0, to: gpu1, bandwidth: 10 GB/s, latency: 8 ns}\n"
    "    - {from: pcie0, to: nic0, bandwidth: 3 GB/s, latency: 16 ns}\n"
    "    - {from: gpu0, to: nvswitch0, bandwidth: 50 GB/s, latency: 0 s}\n"
    "    - {from: gpu1, to: nvswitch0, bandwidth: 60 GB/s, latency: 0 s}\n";

TEST(CustomHost, has_the_components_and_links_that_it_names) {
  const Cluster cluster = read_cluster(Value::from_text("x.yaml", spelled_out));
  const Host& host = cluster.topology.hosts()[1];
  const auto component = [&](Vertex v) { return cluster.topology.graph()[v]; };
  ASSERT_EQ(host.numa_domains.size(), 2U);
  EXPECT_EQ(component(host.numa_domains[0]).cores, 4);
  EXPECT_EQ(component(host.numa_domains[0]).capacity, parse_bytes("8 GiB"));
  EXPECT_EQ(component(host.numa_domains[1]).socket, 1);
  EXPECT_EQ(component(host.gpus.at(0)).capacity, parse_bytes("32 GiB"));
  EXPECT_EQ(component(host.gpus.at(1)).copy_engines, 2);
  EXPECT_EQ(component(host.gpus.at(1)).name, "host1/gpu1");
  EXPECT_EQ(host.peer_access, PeerAccess::none);
  const Route route = cluster.topology.route(host.gpus[0], host.numa_domains[0]);
  EXPECT_EQ(route.bandwidth, parse_bandwidth("11 GB/s"));
  EXPECT_DOUBLE_EQ(route.latency.count(), (1 + 2 + 4) * 1e-9);
  EXPECT_EQ(cluster.topology.link(route.links[1]).both, parse_bandwidth("20 GB/s"));
  EXPECT_EQ(cluster.topology.route(host.gpus[0], host.gpus[1]).bandwidth,
            parse_bandwidth("50 GB/s"));
}

const Broken broken[] = {
    {"host: {type: custom}\n",
     "x.yaml:4:7: host: the key 'domains' is missing\n"
     "  host: {type: custom}\n"
     "        ^"},
    {"host: {type: custom, domains: []}\n",
     "x.yaml:4:31: expected a list of 1 to 1024 NUMA domains\n"
     "  host: {type: custom, domains: []}\n"
     "                                ^"},
    {"host: {type: custom, domains: [{}], nics: 0}\n",
     "x.yaml:4:43: expected a whole number from 1 to 1024, got \"0\"\n"
     "  host: {type: custom, domains: [{}], nics: 0}\n"
     "                                            ^"},
    {"host: {type: custom, domains: [{}], links: [{from: numa0, to: nic7}]}\n",
     "x.yaml:4:63: unknown component of the host 'nic7'; did you mean 'nic0'? (known: numa0, "
     "nic0)\n"
     "  host: {type: custom, domains: [{}], links: [{from: numa0, to: nic7}]}\n"
     "                                                                ^"},
    {"host: {type: custom, domains: [{}], links: [{from: nic0, to: nic0}]}\n",
     "x.yaml:4:62: a link joins two components, and both ends are this one\n"
     "  host: {type: custom, domains: [{}], links: [{from: nic0, to: nic0}]}\n"
     "                                                               ^"},
    {"host: {type: custom, domains: [{}], links: [{from: nic0, to: numa0}]}\n",
     "x.yaml:4:45: links[0]: the key 'bandwidth' is missing\n"
     "  host: {type: custom, domains: [{}], links: [{from: nic0, to: numa0}]}\n"
     "                                              ^"},
    {"host: {type: custom, domains: [{}]}\n",
     "x.yaml:1:10: no route leads from 'host0/numa0' to 'host1/numa0'\n"
     "  network: star\n"
     "           ^"},
};

TEST(CustomHost, says_what_is_wrong_and_where) {
  for (const auto& [input, complaint] : broken) {
    const auto read = [&text = input] { read_cluster(Value::from_text("x.yaml", head + text)); };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

TEST(CustomHost, a_pair_is_linked_once) {
  const std::string twice = head +
                            "host:\n"
                            "  type: custom\n"
                            "  domains: [{}]\n"
                            "  links:\n"
                            "    - {from: nic0, to: numa0, bandwidth: 1 GB/s, latency: 0 s}\n"
                            "    - {from: numa0, to: nic0, bandwidth: 1 GB/s, latency: 0 s}\n";
  EXPECT_EQ(complaint_of([&] { read_cluster(Value::from_text("x.yaml", twice)); }),
            "x.yaml:9:25: 'numa0' and 'nic0' are linked already; a link carries both directions\n"
            "      - {from: numa0, to: nic0, bandwidth: 1 GB/s, latency: 0 s}\n"
            "                          ^");
}

}  // namespace
}  // namespace ringscope::custom_test
