// SPDX-License-Identifier: LGPL-2.1-or-later
// Are hosts below the racks, blocks and NVLink domains that labels of nodes and nvidia-smi name?
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::label_tree_test {
namespace {

Fabric parsed(const std::string& text) { return parse_fabric({"x", text}, ""); }

/// A node as kubectl prints it, with labels {"a": "b"}.
std::string kubernetes_node(const std::string& name, const std::string& labels) {
  return fmt::format(
      R"({{"apiVersion": "v1", "kind": "Node", "metadata": {{"labels": {1}, "name": "{0}"}},
      "status": {{"capacity": {{"cpu": "96", "nvidia.com/gpu": "8"}}}}}})",
      name, labels);
}

std::string kubernetes_list(const std::vector<std::string>& nodes) {
  return fmt::format(R"({{"apiVersion": "v1", "items": [{}], "kind": "List"}})",
                     fmt::join(nodes, ", "));
}

/// Each host with the switches above it, the nearest first: "n1: b1 z1 top".
std::vector<std::string> ways_up(const Fabric& fabric) {
  std::vector<std::string> ways;
  for (const Fabric::Host& host : fabric.hosts) {
    std::size_t at = host.nics.front().leaf;
    std::string way = host.name + ": " + fabric.switches[at];
    for (bool more = true; more;) {
      more = false;
      for (const Fabric::Trunk& trunk : fabric.trunks)
        if (!more && (more = trunk.from == at)) way += " " + fabric.switches[at = trunk.to];
    }
    ways.push_back(way);
  }
  return ways;
}

TEST(Kubernetes, nodes_are_below_their_zones_blocks_and_subblocks) {
  std::vector<std::string> nodes;
  for (const char* place : {"a b1 s1", "a b1 s1", "a b1 s2", "a b2 s1", "c b3 s1", "c b3 s1"}) {
    std::istringstream words(place);
    std::string zone, block, subblock;
    words >> zone >> block >> subblock;
    nodes.push_back(kubernetes_node(
        fmt::format("gke-{}.internal", nodes.size()),
        fmt::format(R"({{"topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": "{}",
                    "cloud.google.com/gce-topology-block": "{}",
                    "cloud.google.com/gce-topology-subblock": "{}",
                    "cloud.google.com/gce-topology-host": "h{}"}})",
                    zone, block, subblock, nodes.size())));
  }
  const Fabric fabric = parsed(kubernetes_list(nodes));
  EXPECT_THAT(ways_up(fabric),
              testing::ElementsAre("gke-0.internal: s1 b1 a top", "gke-1.internal: s1 b1 a top",
                                   "gke-2.internal: s2 b1 a top", "gke-3.internal: b2 a top",
                                   "gke-4.internal: c top", "gke-5.internal: c top"));
  EXPECT_THAT(fabric.notes,
              testing::Contains("omitted: 96 CPUs and 8 GPUs of each of 6 hosts; --host names a "
                                "cluster with such hosts"));
}

TEST(Kubernetes, layers_of_amazon_are_switches) {
  std::vector<std::string> nodes;
  for (const char* layer : {"nn-3a", "nn-3a", "nn-3b", "nn-3b"})
    nodes.push_back(
        kubernetes_node(fmt::format("ip-10-0-0-{}", nodes.size()),
                        fmt::format(R"({{"topology.k8s.aws/network-node-layer-1": "nn-1",
                    "topology.k8s.aws/network-node-layer-2": "nn-2",
                    "topology.k8s.aws/network-node-layer-3": "{}"}})",
                                    layer)));
  EXPECT_THAT(ways_up(parsed(kubernetes_list(nodes))),
              testing::ElementsAre("ip-10-0-0-0: nn-3a top", "ip-10-0-0-1: nn-3a top",
                                   "ip-10-0-0-2: nn-3b top", "ip-10-0-0-3: nn-3b top"));
}

// NetworkNodes go from the top down; an instance whose layers are not told is below the top.
TEST(Ec2, instances_are_below_their_network_nodes) {
  std::vector<std::string> instances;
  for (const char* nodes :
       {R"(["a1", "b1", "c1"])", R"(["a1", "b1", "c2"])", R"(["a1", "b1", "c1"])",
        R"(["a1", "b2", "c3"])", R"(["a1", "b1", "c2"])", R"(["a1", "b2", "c3"])", "null"})
    instances.push_back(fmt::format(
        R"({{"InstanceId": "i-{}", "InstanceType": "p5.48xlarge", "NetworkNodes": {}}})",
        instances.size(), nodes));
  const std::string text =
      fmt::format(R"({{"Instances": [{}], "NextToken": "x"}})", fmt::join(instances, ", "));
  EXPECT_THAT(
      ways_up(parsed(text)),
      testing::ElementsAre("i-0: c1 b1 a1 top", "i-1: c2 b1 a1 top", "i-2: c1 b1 a1 top",
                           "i-3: b2 a1 top", "i-4: c2 b1 a1 top", "i-5: b2 a1 top", "i-6: top"));
  const auto tells = testing::Contains(testing::HasSubstr("instances of later pages"));
  EXPECT_THAT(parsed(text).notes, tells);
  EXPECT_THAT(parsed(std::regex_replace(text, std::regex(" "), "")).notes, tells);
  EXPECT_THAT(parsed(std::regex_replace(text, std::regex("\"x\""), "null")).notes,
              testing::Not(tells));
}

TEST(Ec2, instances_of_three_and_of_four_layers_share_the_upper_ones) {
  EXPECT_THAT(ways_up(parsed(R"({"Instances": [
      {"InstanceId": "i-0", "NetworkNodes": ["a", "b", "c"]},
      {"InstanceId": "i-1", "NetworkNodes": ["a", "b", "c"]},
      {"InstanceId": "i-2", "NetworkNodes": ["a", "b", "d", "e"]},
      {"InstanceId": "i-3", "NetworkNodes": ["a", "b", "d", "e"]}]})")),
              testing::ElementsAre("i-0: c top", "i-1: c top", "i-2: d top", "i-3: d top"));
}

// Each leaf switch has two of the hosts of a domain.
TEST(Kubernetes, nvlink_domains_are_around_the_leaves_that_refine_them) {
  std::vector<std::string> nodes;
  for (int i = 0; i < 8; ++i)
    nodes.push_back(kubernetes_node(fmt::format("n{}", i),
                                    fmt::format(R"({{"network.topology.nvidia.com/leaf": "leaf{}",
                    "nvidia.com/gpu.clique": "7f3a-11.{}"}})",
                                                i / 2, i / 4)));
  nodes.push_back(kubernetes_node("login", "{}"));
  const Fabric fabric = parsed(kubernetes_list(nodes));
  const auto ways = ways_up(fabric);
  EXPECT_EQ(ways.front(), "login: top");
  EXPECT_EQ(ways[1], "n0: leaf0 7f3a-11.0 top");
  EXPECT_EQ(ways[8], "n7: leaf3 7f3a-11.1 top");
}

TEST(Kubernetes, a_label_that_the_user_names_is_one_more) {
  const std::string text =
      kubernetes_list({kubernetes_node("n1", R"({"example.com/rack": "r1"})"),
                       kubernetes_node("n2", R"({"example.com/rack": "r1"})"),
                       kubernetes_node("n3", R"({"example.com/rack": "n1"})")});
  EXPECT_THAT(ways_up(parsed(text)), testing::ElementsAre("n1: top", "n2: top", "n3: top"));
  EXPECT_THAT(ways_up(parse_fabric({"x", text}, "", {"example.com/rack"})),
              testing::ElementsAre("n1: r1 top", "n2: r1 top", "n3: top-n1 top"));
  EXPECT_EQ(complaint_of([] {
              (void)parse_fabric({"x", "SwitchName=a Nodes=n1\n"}, "", {"rack"});
            }),
            "--label: x has no nodes of Kubernetes");
}

/// Output of pdsh: `nvidia-smi -q` on a host with two GPUs.
std::string smi_of(const std::string& host, const std::string& state, const std::string& uuid) {
  std::string text = host + ": Attached GPUs                             : 2\n";
  for (const char* gpu : {"00000008:01:00.0", "00000009:01:00.0"}) {
    text += fmt::format("{}: \n{}: GPU {}\n", host, host, gpu);
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
             {"    Performance State                 ", "P0"},
             {"    Fabric", ""},
             {"        State                             ", state},
             {"        Status                            ", "Success"},
             {"        CliqueId                          ", "32766"},
             {"        ClusterUUID                       ", uuid},
             {"        Health", ""},
             {"            Bandwidth                     ", "Full"}})
      text += fmt::format("{}: {}{}{}\n", host, key, value.empty() ? "" : ": ", value);
  }
  return text;
}

TEST(NvidiaSmi, gpus_of_a_host_in_several_domains_are_in_none) {
  std::string text = smi_of("n1", "Completed", "ab") + smi_of("n2", "Completed", "ab") +
                     smi_of("n3", "Completed", "ab");
  text.replace(text.find("32766"), 5, "7    ");
  const Fabric fabric = parsed(text);
  EXPECT_THAT(ways_up(fabric),
              testing::ElementsAre("n1: top", "n2: ab.32766 top", "n3: ab.32766 top"));
  EXPECT_THAT(fabric.notes,
              testing::Contains("omitted: NVLink domains of hosts whose GPUs are in several: n1"));
}

TEST(NvidiaSmi, hosts_of_one_cluster_and_clique_are_one_nvlink_domain) {
  const std::string one = "8f1e2d3c-0000-4a5b-9c8d-7e6f5a4b3c2d",
                    zeros = "00000000-0000-0000-0000-000000000000";
  const Fabric fabric = parsed(smi_of("n3", "Completed", one) + smi_of("n1", "Completed", one) +
                               smi_of("n2", "In Progress", one) +
                               smi_of("dgx", "Completed", zeros) + "n4: ssh: no route to host\n");
  EXPECT_THAT(ways_up(fabric), testing::ElementsAre("dgx: top", "n1: " + one + ".32766 top",
                                                    "n2: top", "n3: " + one + ".32766 top"));
  EXPECT_THAT(fabric.notes, testing::Contains("omitted: 2 GPUs of each of 4 hosts; --host names a "
                                              "cluster with such hosts"));
}

}  // namespace
}  // namespace ringscope::label_tree_test
