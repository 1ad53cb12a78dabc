// SPDX-License-Identifier: LGPL-2.1-or-later
// Are places interchangeable exactly when nothing notices? Against every permutation there is.
#include "topologies/placement/search/symmetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "topologies/cluster.hpp"
#include "topologies/graph/properties_for_test.hpp"

namespace ringscope::symmetry_test {
namespace {

Topology topology_of(const std::string& yaml) {
  return read_cluster(Value::from_text("test", yaml)).topology;
}

SymmetryRules rules_for(SlotKind slot_kind) {
  SymmetryRules rules;
  rules.slot_kind = slot_kind;
  return rules;
}

constexpr const char* hosts_of_cores = "host: {type: simple, cores: 2}";
constexpr const char* cable = "link: {bandwidth: 1 GB/s, latency: 1 us}";

std::string star(int hosts, const std::string& host = hosts_of_cores) {
  return "network: star\nhosts: " + std::to_string(hosts) + "\n" + cable + "\n" + host;
}

std::string racks(int racks, int hosts, int uplinks = 1) {
  return "network: two_level\nracks: " + std::to_string(racks) +
         "\nhosts_per_rack: " + std::to_string(hosts) + "\nuplinks: " + std::to_string(uplinks) +
         "\nuplink: {bandwidth: 1 GB/s}\n" + cable + "\n" + hosts_of_cores;
}

constexpr const char* three_sockets =
    "host: {type: numa, sockets: 3, cores: 1, socket_link: {bandwidth: 1 GB/s}}";
constexpr const char* gpus =
    "host: {type: pcie_tree, sockets: 2, cores: 4, switches_per_socket: 1, gpus_per_switch: 2,\n"
    "       switch_uplink: {bandwidth: 8 GB/s, latency: 1 us}, socket_link: {bandwidth: 1 GB/s},\n"
    "       gpu: {bandwidth: 8 GB/s, latency: 1 us}, gpudirect: true, nics: [";
const std::string gpus_and_a_nic = std::string(gpus) + "{switch: 0}]}";
const std::string gpus_in_pairs =
    std::string(gpus) + "{switch: 0}, {switch: 1}],\n" +
    "       nvlink: {bandwidth: 20 GB/s, latency: 1 us, pairs: [[0, 2], [1, 3]]}}";
const std::string a_ring_of_switches =
    "network: torus\ndimensions: [5]\n" + std::string(cable) + "\n" + hosts_of_cores;

Vertex vertex_of(const Topology& topology, const Bin& bin) {
  const Host& host = topology.hosts()[bin.host];
  return bin.gpu >= 0 ? host.gpus[bin.gpu] : host.numa_domains[bin.numa];
}

/// True if all routes between bins go where the permutation of the bins says, link for link.
bool keeps_routes(const Topology& topology, std::span<const Bin> bins, const std::vector<int>& to) {
  std::map<int, int> link_to, link_from;
  for (std::size_t a = 0; a < bins.size(); ++a) {
    for (std::size_t b = 0; b < bins.size(); ++b) {
      const Bin& moved_a = bins[static_cast<std::size_t>(to[a])];
      const Bin& moved_b = bins[static_cast<std::size_t>(to[b])];
      if ((bins[a].host == bins[b].host) != (moved_a.host == moved_b.host)) return false;
      const Route before =
          topology.route(vertex_of(topology, bins[a]), vertex_of(topology, bins[b]));
      const Route after =
          topology.route(vertex_of(topology, moved_a), vertex_of(topology, moved_b));
      if (before.links.size() != after.links.size()) return false;
      for (std::size_t i = 0; i < before.links.size(); ++i) {
        const Link &from = topology.link(before.links[i]), &other = topology.link(after.links[i]);
        if (from.bandwidth != other.bandwidth || from.latency != other.latency) return false;
        if (link_to.try_emplace(from.id, other.id).first->second != other.id) return false;
        if (link_from.try_emplace(other.id, from.id).first->second != from.id) return false;
      }
    }
  }
  return true;
}

std::vector<std::vector<int>> all_symmetries(const Topology& topology, std::span<const Bin> bins) {
  std::vector<int> order(bins.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<int>> kept;
  do {
    if (keeps_routes(topology, bins, order)) kept.push_back(order);
  } while (std::ranges::next_permutation(order).found);
  return kept;
}

/// All sequences of up to `most` different bins.
std::vector<std::vector<int>> sequences(int bins, std::size_t most) {
  std::vector<std::vector<int>> all = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == most) continue;
    for (int bin = 0; bin < bins; ++bin) {
      if (std::ranges::find(all[i], bin) != all[i].end()) continue;
      all.push_back(all[i]);
      all.back().push_back(bin);
    }
  }
  return all;
}

struct SymmetricMachine {
  std::string name, yaml;
  SlotKind slot_kind = SlotKind::core;
  int symmetries = 1;  ///< by hand
};

class Symmetries : public testing::TestWithParam<SymmetricMachine> {};

TEST_P(Symmetries, AreThoseThatBruteForceFinds) {
  const Topology topology = topology_of(GetParam().yaml);
  const Symmetry symmetry(topology, rules_for(GetParam().slot_kind));
  ASSERT_TRUE(symmetry.only_routes());
  const auto group = all_symmetries(topology, symmetry.bins());
  EXPECT_EQ(static_cast<int>(group.size()), GetParam().symmetries);
  const int bins = static_cast<int>(symmetry.bins().size());
  for (const std::vector<int>& sequence : sequences(bins, 4)) {
    std::set<std::vector<int>> images;
    for (const auto& to : group) {
      std::vector<int> image;
      for (const int bin : sequence) image.push_back(to[static_cast<std::size_t>(bin)]);
      images.insert(image);
    }
    EXPECT_EQ(symmetry.images(sequence), images.size()) << testing::PrintToString(sequence);
    const std::vector<int> first = symmetry.first_image(sequence);
    EXPECT_TRUE(images.contains(first)) << testing::PrintToString(sequence);
    for (const std::vector<int>& image : images) EXPECT_EQ(symmetry.first_image(image), first);
  }
}

// In order: hosts change places; racks, and hosts in each; two sockets of each host that have no
// NIC; the GPUs of a PCIe switch, at the NIC and away from it, on either host; two pairs of GPUs,
// their sockets; a circle of five turned and mirrored; one host.
INSTANTIATE_TEST_SUITE_P(
    Machines, Symmetries,
    testing::Values(SymmetricMachine{"Star", star(4), SlotKind::core, 24},
                    SymmetricMachine{"Racks", racks(2, 3), SlotKind::core, 2 * 6 * 6},
                    SymmetricMachine{"ThreeRacks", racks(3, 2), SlotKind::core, 6 * 8},
                    SymmetricMachine{"Sockets", star(2, three_sockets), SlotKind::core, 2 * 2 * 2},
                    SymmetricMachine{"Gpus", star(2, gpus_and_a_nic), SlotKind::gpu, 2 * 4 * 4},
                    SymmetricMachine{"GpuPairs", star(1, gpus_in_pairs), SlotKind::gpu, 4},
                    SymmetricMachine{"RingOfSwitches", a_ring_of_switches, SlotKind::core, 10},
                    SymmetricMachine{"One", star(1), SlotKind::core, 1}),
    [](const auto& machine) { return machine.param.name; });

TEST(Symmetry, OfHostsThatAreMarkedIsNone) {
  const Topology topology = topology_of(star(3));
  SymmetryRules marked;
  marked.marks = {0, 1, 0};
  const Symmetry symmetry(topology, marked);
  EXPECT_EQ(symmetry.first_image(std::vector{2, 1}), (std::vector{0, 1}));
  EXPECT_EQ(symmetry.images(std::vector{2, 1}), 2);
}

// Two hosts on each of the first two switches, then one host on each switch of a torus.
TEST(Symmetry, hashed_routes_leave_hosts_on_the_same_switches_interchangeable) {
  const std::string fat_tree = "network: fat_tree\nk: 4\n" + std::string(cable) + "\n";
  for (const std::string& yaml : {racks(2, 2, 2), fat_tree + hosts_of_cores}) {
    const Topology topology = topology_of(yaml);
    const Symmetry symmetry(topology, rules_for(SlotKind::core));
    EXPECT_FALSE(symmetry.only_routes()) << yaml;
    EXPECT_EQ(symmetry.first_image(std::vector{3, 1}), (std::vector{2, 0})) << yaml;
    EXPECT_EQ(symmetry.images(std::vector{3, 1}), 2 * 2) << yaml;
    EXPECT_EQ(symmetry.images(std::vector{3, 2}), 2) << yaml;
  }
  const Topology torus =
      topology_of("network: torus\ndimensions: [4]\n" + std::string(cable) + "\n" + hosts_of_cores);
  const Symmetry symmetry(torus, rules_for(SlotKind::core));
  EXPECT_FALSE(symmetry.only_routes());
  EXPECT_EQ(symmetry.first_image(std::vector{3, 1}), (std::vector{3, 1}));
  EXPECT_EQ(symmetry.images(std::vector{3, 1}), 1);
}

// One cable of a host is slower, or its mark differs: it stands for itself alone.
TEST(Symmetry, hosts_on_the_same_switches_differ_by_their_cables_and_marks) {
  const Topology topology =
      topology_of(racks(2, 3, 2) + "\ndegraded: [{link: host1/nic0->rack0/switch, share: 0.5}]\n");
  EXPECT_EQ(Symmetry(topology, rules_for(SlotKind::core)).images(std::vector{1}), 1);
  EXPECT_EQ(Symmetry(topology, rules_for(SlotKind::core)).images(std::vector{0}), 2);
  SymmetryRules marked = rules_for(SlotKind::core);
  marked.marks = {0, 0, 1, 0, 0, 0};
  EXPECT_EQ(Symmetry(topology, marked).images(std::vector{0}), 1);
  EXPECT_EQ(Symmetry(topology, marked).images(std::vector{3}), 3);
}

TEST(Symmetry, KeepsNicsThatAreCountedApart) {
  const Topology topology = topology_of(star(2, gpus_in_pairs));
  const Symmetry nearest(topology, rules_for(SlotKind::gpu));
  SymmetryRules by_number = rules_for(SlotKind::gpu);
  by_number.nics_by_number = true;
  const Symmetry all(topology, by_number);
  const std::vector<int> second_socket = {2};
  EXPECT_EQ(nearest.first_image(second_socket), (std::vector{0}));
  EXPECT_EQ(all.first_image(second_socket), second_socket);
}

// |G| of 2^16 hosts under one switch: their images are the falling factorials.
TEST(Symmetry, OfManyHostsIsFoundInNoTime) {
  const Topology topology = topology_of(star(4096));
  const Symmetry symmetry(topology, rules_for(SlotKind::core));
  EXPECT_EQ(symmetry.first_image(std::vector{4000, 7, 99}), (std::vector{0, 1, 2}));
  EXPECT_EQ(symmetry.images(std::vector{4000, 7, 99}), Count(4096) * 4095 * 4094);
}

TEST(Symmetry, host_symmetry_requires_equal_component_properties) {
  const auto images = [](const Component& other) {
    const Topology topology = two_hosts(pcie_switch(), other);
    return Symmetry(topology, SymmetryRules{}).images(std::vector{0});
  };
  EXPECT_EQ(images(pcie_switch()), Count(2));
  int properties = 0;
  for (Component other = pcie_switch(); change_property(other, properties); ++properties) {
    EXPECT_EQ(images(other), Count(1)) << "property " << properties;
    other = pcie_switch();
  }
  EXPECT_GT(properties, 0);
}

}  // namespace
}  // namespace ringscope::symmetry_test
