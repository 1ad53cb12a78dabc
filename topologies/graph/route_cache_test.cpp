// SPDX-License-Identifier: LGPL-2.1-or-later
// Do kept searches answer as searches made anew do, between all parts of all kinds of clusters?
#include "topologies/graph/route_search.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "topologies/cluster.hpp"

namespace ringscope {
namespace {

/// Ends of routes: all domains, GPUs and NICs of the first two hosts, the first and last of each of
/// some others, evenly apart.
std::vector<Vertex> ends_of(const Topology& topology) {
  constexpr std::size_t whole_hosts = 2, others = 8;
  const auto hosts = topology.hosts();
  const std::size_t stride = std::max<std::size_t>(1, hosts.size() / others);
  std::vector<Vertex> ends;
  for (std::size_t host = 0; host < hosts.size(); host += host < whole_hosts ? 1 : stride)
    for (const auto* list : {&hosts[host].numa_domains, &hosts[host].gpus, &hosts[host].nics})
      for (std::size_t part = 0; part < list->size(); ++part)
        if (host < whole_hosts || part == 0 || part + 1 == list->size())
          ends.push_back((*list)[part]);
  return ends;
}

void expect_same_routes(const Topology& topology) {
  RouteCache known(topology.graph(), topology.hosts());
  const std::vector<Vertex> ends = ends_of(topology);
  for (const Vertex from : ends)
    for (const Vertex to : ends)
      for (const std::uint64_t flow : {0U, 1U, 77U}) {
        const StagedRoute anew = topology.staged_route(from, to, flow);
        const StagedRoute kept = topology.staged_route(from, to, flow, &known);
        ASSERT_EQ(kept.legs.size(), anew.legs.size());
        for (std::size_t leg = 0; leg < anew.legs.size(); ++leg)
          ASSERT_EQ(kept.legs[leg].links, anew.legs[leg].links)
              << topology.graph()[from].name << " to " << topology.graph()[to].name << ", flow "
              << flow;
      }
}

TEST(RouteCache, are_those_of_a_search_in_every_cluster) {
  int clusters = 0;
  for (const auto& file : std::filesystem::directory_iterator("topologies/clusters")) {
    SCOPED_TRACE(file.path());
    const std::string name = file.path().stem().string();
    expect_same_routes(read_cluster(Value::from_text("test", name)).topology);
    ++clusters;
  }
  EXPECT_GE(clusters, 10);
}

class Shapes : public testing::TestWithParam<const char*> {};

TEST_P(Shapes, have_the_routes_of_a_search) {
  const std::string text = std::string(GetParam()) + "\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n";
  expect_same_routes(read_cluster(Value::from_text("test", text)).topology);
}

INSTANTIATE_TEST_SUITE_P(
    RouteCache, Shapes,
    testing::Values("network: fat_tree\nk: 8\nhost: {type: simple}",
                    "network: fat_tree\nk: 4\nhosts: 7\n"
                    "host: {type: numa, sockets: 2, nics: [{domain: 0}, {domain: 1}]}",
                    "network: torus\ndimensions: [2, 3, 5]\nhost: {type: simple}",
                    "network: torus\ndimensions: [4, 4]\n"
                    "host: {type: numa, sockets: 3, nics: [{domain: 0}, {domain: 2}]}",
                    "network: torus\ndimensions: [1, 1]\nhost: {type: simple}",
                    "network: two_level\nracks: 3\nhosts_per_rack: 3\nuplinks: 3\n"
                    "oversubscription: 2\nhost: {type: numa}",
                    "network: star\nhosts: 5\n"
                    "host: {type: numa, nics: [{domain: 0}, {domain: 0}, {domain: 1}]}"));

TEST(RouteCache, leave_to_a_search_what_lies_inside_a_host) {
  const Cluster cluster = read_cluster(Value::from_text("test", "numa_pair"));
  const Host& host = cluster.topology.hosts()[0];
  RouteCache known(cluster.topology.graph(), cluster.topology.hosts());
  EXPECT_FALSE(known.find(host.numa_domains[0], host.numa_domains[1], 0));
}

TEST(RouteCache, tell_the_ways_through_a_fat_tree_without_a_search) {
  const Cluster cluster = read_cluster(Value::from_text("test", "fat_tree"));
  const auto hosts = cluster.topology.hosts();
  RouteCache known(cluster.topology.graph(), hosts);
  for (const Host& from : hosts)
    for (const Host& to : hosts) {
      if (&from == &to) continue;
      EXPECT_TRUE(known.find(from.numa_domains[0], to.numa_domains[0], 0));
    }
}

}  // namespace
}  // namespace ringscope
