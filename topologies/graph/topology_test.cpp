// SPDX-License-Identifier: LGPL-2.1-or-later
// Does check() name the first broken invariant, and does the drawing show what stands there?
#include "topologies/graph/topology.hpp"
#include "topologies/exports/exports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "topologies/cluster.hpp"

namespace ringscope {
namespace {

using testing::HasSubstr;

Vertex add_host(Topology& topology, const std::string& name, int cores = 1) {
  const int host = topology.add_host(name);
  return topology.add_component(
      {.kind = ComponentKind::numa_domain, .name = name + "/numa0", .host = host, .cores = cores});
}

std::string complaint(const Topology& topology) {
  const Place origin = Value::from_text("test", "star").place();
  try {
    topology.check(origin);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Check, a_sound_topology_passes) {
  Topology topology;
  const Vertex a = add_host(topology, "a"), b = add_host(topology, "b");
  topology.connect(a, b, Bandwidth{1}, Seconds(0));
  EXPECT_EQ(complaint(topology), "");
}

TEST(Check, an_empty_topology_is_refused) {
  EXPECT_EQ(complaint({}), "test:1:1: the topology has no host\n  star\n  ^");
}

TEST(Check, names_are_unique) {
  Topology topology;
  add_host(topology, "a");
  add_host(topology, "a");
  EXPECT_THAT(complaint(topology), HasSubstr("two parts of the topology are named 'a'"));
}

TEST(Check, a_host_has_cores) {
  Topology topology;
  add_host(topology, "a", 0);
  EXPECT_THAT(complaint(topology), HasSubstr("'a' has no core"));
}

TEST(Check, every_bandwidth_is_positive_and_no_latency_negative) {
  for (const double bandwidth : {0.0, -1.0, std::nan("")}) {
    Topology topology;
    const Vertex a = add_host(topology, "a"), b = add_host(topology, "b");
    topology.connect(a, b, Bandwidth{bandwidth}, Seconds(0));
    EXPECT_THAT(complaint(topology), HasSubstr("the link 'a/numa0->b/numa0' has no bandwidth"));
  }
  Topology topology;
  const Vertex a = add_host(topology, "a"), b = add_host(topology, "b");
  topology.connect(a, b, Bandwidth{1}, Seconds(-1));
  EXPECT_THAT(complaint(topology),
              HasSubstr("the latency of the link 'a/numa0->b/numa0' is negative"));
}

TEST(Check, every_two_memory_domains_reach_each_other) {
  Topology topology;
  add_host(topology, "a");
  add_host(topology, "b");
  EXPECT_THAT(complaint(topology), HasSubstr("no route leads from 'a/numa0' to 'b/numa0'"));
}

TEST(Check, devices_of_a_host_reach_its_memory_inside_the_host) {
  Topology topology;
  const Vertex a = add_host(topology, "a"), b = add_host(topology, "b");
  const Vertex gpu =
      topology.add_component({.kind = ComponentKind::gpu, .name = "b/gpu0", .host = 1});
  topology.connect(a, b, Bandwidth{1}, Seconds(0));
  topology.connect(a, gpu, Bandwidth{1}, Seconds(0));
  EXPECT_THAT(complaint(topology),
              HasSubstr("inside 'b' no route leads from 'b/numa0' to 'b/gpu0'"));
  topology.connect(b, gpu, Bandwidth{1}, Seconds(0));
  EXPECT_EQ(complaint(topology), "");
}

TEST(Check, a_peer_matrix_has_a_row_and_a_column_for_each_gpu) {
  Topology topology;
  const Vertex memory = add_host(topology, "a");
  const Vertex gpu =
      topology.add_component({.kind = ComponentKind::gpu, .name = "a/gpu0", .host = 0});
  topology.connect(memory, gpu, Bandwidth{1}, Seconds(0));
  topology.host(0).peer_access = PeerAccess::matrix;
  EXPECT_THAT(complaint(topology), HasSubstr("the peer matrix of 'a' is not 1 x 1"));
}

TEST(Dot, hosts_are_boxes_and_cables_have_bandwidth_and_latency) {
  const Cluster cluster = read_cluster(
      Value::from_text("test",
                       "network: star\nhosts: 1\nlink: {bandwidth: 10 Gbit/s, latency: 5 us}\n"
                       "host: {type: simple, cores: 8}"));
  EXPECT_EQ(to_dot(cluster.topology),
            "graph topology {\n"
            "  overlap=false;\n"
            "  subgraph cluster_0 {\n"
            "    label=\"host0\";\n"
            "    \"host0/numa0\" [shape=box, label=\"host0/numa0\\n8 cores\"];\n"
            "    \"host0/nic0\" [shape=cds, label=\"host0/nic0\"];\n"
            "  }\n"
            "  \"switch\" [shape=ellipse, label=\"switch\"];\n"
            "  \"host0/numa0\" -- \"host0/nic0\" [label=\"unlimited\\n0 s\"];\n"
            "  \"host0/nic0\" -- \"switch\" [label=\"1.25 GB/s\\n5 us\"];\n"
            "}\n");
}

}  // namespace
}  // namespace ringscope
