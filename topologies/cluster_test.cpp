// SPDX-License-Identifier: LGPL-2.1-or-later
// Is every shipped cluster sound, and is what it was built from kept in full?
#include "topologies/cluster.hpp"
#include "topologies/exports/exports.hpp"
#include "topologies/hosts/hosts.hpp"
#include "topologies/networks/networks.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

using testing::IsSupersetOf;

TEST(Cluster, every_shipped_one_is_built_and_says_what_it_is) {
  const auto names = names_in("topologies/clusters");
  EXPECT_THAT(names, IsSupersetOf({"rack3", "star8", "star64", "pair", "two_level", "fat_tree",
                                   "torus", "numa_pair", "gpu_pair"}));
  for (const std::string& name : names) {
    const Cluster cluster = read_cluster(Value::from_text("test", name));
    EXPECT_EQ(cluster.name, name);
    EXPECT_FALSE(cluster.about.empty());
    EXPECT_NE(cluster.about, "a cluster") << name;
  }
}

TEST(Cluster, resolved_has_the_defaults_and_builds_the_same_again) {
  for (const std::string& name : names_in("topologies/clusters")) {
    const Cluster cluster = read_cluster(Value::from_text("test", name));
    const Cluster again = read_cluster(cluster.resolved);
    EXPECT_EQ(to_dot(again.topology), to_dot(cluster.topology)) << name;
  }
  const Cluster pair = read_cluster(Value::from_text("test", "pair"));
  EXPECT_EQ(pair.resolved.find("host")->find("memory_bandwidth")->scalar(), "unlimited");
}

TEST(Cluster, a_base_is_overridden_value_by_value) {
  const Cluster cluster = read_cluster(
      Value::from_text("test", "base: rack3\nlink: {bandwidth: 1 Gbit/s}\nhost: {cores: 2}\n"));
  EXPECT_EQ(cluster.name, "rack3*");
  const Topology& topology = cluster.topology;
  const Host& host = topology.hosts()[0];
  EXPECT_EQ(topology.graph()[host.numa_domains[0]].cores, 2);
  const Route route = topology.route(host.numa_domains[0], topology.hosts()[1].numa_domains[0]);
  EXPECT_EQ(route.bandwidth, Bandwidth{1e9 / 8});
  EXPECT_DOUBLE_EQ(route.latency.count(), 2 * 5e-6);
}

TEST(Cluster, changed_base_is_described_with_the_changed_keys) {
  const auto about = [](const std::string& text) {
    return read_cluster(Value::from_text("test", text)).about;
  };
  const std::string plain = about("star8");
  EXPECT_EQ(about("base: star8\n"), plain);
  EXPECT_EQ(about("base: star8\nhosts: 32\nlink: {latency: 1 us}\n"),
            plain + "; changed: hosts 32, link.latency 1 us");
  EXPECT_EQ(about("base: star8\nhosts: 32\nabout: mine\n"), "mine");
}

std::string error_of(const std::string& text) {
  try {
    read_cluster(Value::from_text("test", text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Cluster, keeps_the_hosts_of_a_base_under_another_network_family) {
  const std::string rails = "base: h100_nvswitch\nnetwork: rails\nrails: 8\nspines: 0\n";
  const Topology topology =
      read_cluster(Value::from_text("test", rails + "hosts_per_pod: 4\n")).topology;
  const Topology base = read_cluster(Value::from_text("test", "h100_nvswitch")).topology;
  ASSERT_EQ(topology.hosts().size(), 4u);
  EXPECT_EQ(topology.hosts()[0].gpus.size(), base.hosts()[0].gpus.size());
  EXPECT_EQ(topology.hosts()[0].nics.size(), base.hosts()[0].nics.size());
  const auto between = [](const Topology& one) {
    return one.route(one.hosts()[0].gpus[0], one.hosts()[1].gpus[0]).bandwidth;
  };
  EXPECT_EQ(between(topology), between(base));
  EXPECT_THAT(error_of(rails), testing::StartsWith("test:1:1: cluster: the key 'hosts_per_pod' is "
                                                   "missing"));
  EXPECT_THAT(error_of(rails + "hosts_per_pod: 4\nhosts: 4\n"),
              testing::StartsWith("test:6:1: cluster: unknown key 'hosts'"));
  EXPECT_EQ(error_of(rails + "hosts_per_pod: 4\nhosts:\n"), "none");
}

TEST(Cluster, each_file_counts_as_one_base) {
  const std::string folder = testing::TempDir();
  std::string above = "rack3";
  for (int file = 0; file < 9; ++file) {
    const std::string path = folder + "/based" + std::to_string(file) + ".yaml";
    std::ofstream(path) << "base: " << above << "\n";
    above = path;
    const Value cluster = Value::from_text("test", above);
    if (file < 8)
      EXPECT_EQ(read_cluster(cluster).topology.hosts().size(), 3) << file;
    else
      EXPECT_THROW(read_cluster(cluster), std::exception);
  }
}

TEST(Cluster, hosts_may_differ_in_what_they_hold_and_in_their_cables) {
  const std::string text =
      "base: dgx1v\nhosts: 3\n"
      "unlike: [{hosts: [host1], host: {cores: 3, nic: {domain: 1}}}, "
      "{hosts: [host2], host: {type: simple, cores: 5}, link: {bandwidth: 1 GB/s}}]";
  const Cluster cluster = read_cluster(Value::from_text("test", text));
  const auto expect = [](const Topology& topology) {
    const auto cores = [&](std::size_t host) {
      return topology.graph()[topology.hosts()[host].numa_domains[0]].cores;
    };
    const auto cable = [&](std::size_t host) {
      const Vertex nic = topology.hosts()[host].nics[0];
      const Vertex other = topology.hosts()[(host + 1) % 3].numa_domains[0];
      return topology.link(topology.route(nic, other).links[0]).bandwidth.bytes_per_second;
    };
    EXPECT_NE(cores(0), 3);
    EXPECT_EQ(cores(1), 3);
    EXPECT_EQ(cores(2), 5);
    EXPECT_GT(topology.hosts()[0].nics.size(), 1u);
    EXPECT_EQ(topology.hosts()[1].nics.size(), 1u);
    EXPECT_EQ(topology.hosts()[1].gpus.size(), topology.hosts()[0].gpus.size());
    EXPECT_TRUE(topology.hosts()[2].gpus.empty());
    EXPECT_EQ(cable(0), cable(1));
    EXPECT_EQ(cable(2), 1e9);
  };
  expect(cluster.topology);
  expect(read_cluster(cluster.resolved).topology);
}

TEST(Cluster, a_base_without_a_value_counts_as_absent) {
  const Cluster cluster = read_cluster(Value::from_text(
      "test",
      "{base: , network: star, hosts: 2, link: {bandwidth: 1 GB/s, latency: 1 us}, "
      "host: {type: simple}}"));
  EXPECT_EQ(cluster.name, "star");
  EXPECT_EQ(cluster.topology.hosts().size(), 2u);
}

TEST(Cluster, hosts_of_a_star_may_have_names) {
  const Cluster cluster = read_cluster(Value::from_text(
      "test",
      "{network: star, hosts: [ann, bob], link: {bandwidth: 1 GB/s, latency: 1 us}, "
      "host: {type: simple}}"));
  EXPECT_EQ(cluster.name, "star");
  EXPECT_EQ(cluster.topology.hosts()[1].name, "bob");
  EXPECT_EQ(cluster.topology.graph()[cluster.topology.hosts()[1].nics[0]].name, "bob/nic0");
}

TEST(Cluster, a_path_names_a_file) {
  const std::string path = data_directory() + "/topologies/clusters/pair.yaml";
  const Cluster cluster = read_cluster(Value::scalar_at({}, path));
  EXPECT_EQ(cluster.name, "pair");
  EXPECT_EQ(cluster.topology.hosts().size(), 2u);
}

TEST(Cluster, the_lists_name_every_type_and_family) {
  std::vector<std::string> types, families;
  for (const HostType& type : host_types()) types.push_back(type.name);
  for (const NetworkFamily& family : network_families()) families.push_back(family.name);
  EXPECT_THAT(types, testing::ElementsAre("simple", "numa", "pcie_tree", "custom"));
  EXPECT_THAT(families, testing::ElementsAre("star", "two_level", "fat_tree", "torus", "fabric",
                                             "dragonfly", "rails"));
}

TEST(Cluster, one_too_large_is_refused_before_it_is_built) {
  const auto refuse = [](const std::string& text) {
    EXPECT_THROW(read_cluster(Value::from_text("test", text)), InputError) << text;
  };
  const std::string rest = "\nlink: {bandwidth: 1 GB/s, latency: 1 us}\nhost: {type: simple}";
  refuse("network: star\nhosts: 1048577" + rest);
  refuse("network: torus\ndimensions: [1024, 1024, 1024]" + rest);
  refuse("network: two_level\nracks: 1024\nhosts_per_rack: 1025\noversubscription: 2" + rest);
  refuse("network: fat_tree\nk: 1000000" + rest);
}

}  // namespace
}  // namespace ringscope
