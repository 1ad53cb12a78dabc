// SPDX-License-Identifier: LGPL-2.1-or-later
// Does an imported fabric have the switches, hosts and cables that its file tells of?
#include "topologies/imports/fabrics/fabric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "topologies/cluster.hpp"
#include "topologies/imports/fabrics/ib_listing.hpp"
#include "topologies/networks/levels.hpp"

namespace ringscope {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file("topologies/fabrics/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

Fabric parsed(const std::string& text) { return parse_fabric({"x", text}, ""); }

Topology topology_of(const std::string& text, const FabricOptions& options = {}) {
  Fabric fabric = parsed(text);
  return read_cluster(Value::from_text("x.yaml", fabric_yaml(fabric, options))).topology;
}

int count(const std::string& text, std::string_view needle) {
  int found = 0;
  for (auto at = text.find(needle); at != std::string::npos; at = text.find(needle, at + 1))
    ++found;
  return found;
}

const Host& host_of(const Topology& topology, std::string_view name) {
  for (const Host& host : topology.hosts())
    if (host.name == name) return host;
  ADD_FAILURE() << name;
  return topology.hosts().front();
}

constexpr const char* real_file = "ibnetdiscover-582-adapters.txt";

// 31 leaves, 9 spines and 582 adapters: topologies/fabrics/README.md, as its source says.
TEST(Ibnetdiscover, a_real_fabric_has_its_leaves_spines_and_adapters) {
  const std::string text = text_of(real_file);
  EXPECT_EQ(count(text, "\nSwitch\t"), 31 + 9);
  EXPECT_EQ(count(text, "\nCa\t"), 582);
  const int inner = count(text, "Aggregation Node\"\n");  // the nodes' own lines end so
  const Fabric fabric = parsed(text);
  EXPECT_EQ(fabric.inner_adapters, inner);
  const Topology topology = topology_of(text);
  const auto levels = network_levels(topology);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].switches, 31);
  EXPECT_EQ(levels[1].switches, 9);
  EXPECT_EQ(levels[0].hosts + fabric.inner_adapters, 582);
  EXPECT_EQ(levels[1].hosts, 0);
  // Both ends tell of each cable, and all are 4xNDR.
  EXPECT_EQ(2 * (582 + levels[0].up), count(text, " 4xNDR\n"));
  EXPECT_EQ(levels[0].up, levels[1].down);
  EXPECT_DOUBLE_EQ(levels[0].oversubscription, (582.0 - inner) / levels[0].up);
}

TEST(Ibnetdiscover, adapters_named_after_one_host_are_its_nics) {
  const std::string text = text_of(real_file);
  const Topology topology = topology_of(text);
  const Host& host = host_of(topology, "a06-p1-dgx-02-c01");
  EXPECT_EQ(std::ssize(host.nics), count(text, "\nCa\t1 \"H-e09d730300857d78\"") +
                                       count(text, "\t\t# \"a06-p1-dgx-02-c01 HCA-1\"\n") +
                                       count(text, "\t\t# \"a06-p1-dgx-02-c01 HCA-2\"\n") +
                                       count(text, "\t\t# \"a06-p1-dgx-02-c01 HCA-5\"\n"));
  std::vector<std::string> leaves;
  for (const Vertex nic : host.nics)
    for (const auto [other, id] : topology.graph().edges(nic)) {
      if (topology.graph()[other].kind != ComponentKind::network_switch) continue;
      leaves.push_back(topology.graph()[other].name);
      EXPECT_EQ(topology.link(id).bandwidth.bytes_per_second, 4 * 100e9 / 8);
    }
  // As the file has it: HCA-1, HCA-2, HCA-5 and HCA-6 stand at port 1 of these.
  EXPECT_THAT(leaves, testing::ElementsAre("A09-P1-IBLEAF-01-02", "A09-P1-IBLEAF-02-02",
                                           "A09-P1-IBLEAF-03-02", "A09-P1-IBLEAF-04-02"));
}

TEST(Ibnetdiscover, every_adapter_may_be_a_host_of_its_own) {
  const Topology topology = topology_of(text_of(real_file), {.adapters = true});
  EXPECT_EQ(std::ssize(topology.hosts()) + parsed(text_of(real_file)).inner_adapters, 582);
  for (const Host& host : topology.hosts()) EXPECT_EQ(host.nics.size(), 1U);
  host_of(topology, "a06-p1-dgx-02-c01.HCA-6");
}

TEST(Ibnetdiscover, every_two_hosts_of_a_real_fabric_are_at_most_two_leaves_and_a_spine_apart) {
  const Topology topology = topology_of(text_of(real_file));
  for (const Host& from : topology.hosts()) {
    const Host& to = topology.hosts()[static_cast<std::size_t>(&from - &topology.hosts()[0]) / 2];
    if (&from == &to) continue;
    const auto links = topology.route(from.numa_domains[0], to.numa_domains[0]).links;
    // Memory to NIC and NIC to leaf, at both ends; by way of a spine two more.
    EXPECT_TRUE(links.size() == 4 || links.size() == 6) << from.name << ' ' << to.name;
  }
}

/// A listing as iblinkinfo prints it: both ends of each cable, at NDR, and a port without a cable.
/// `line`: with its option -l.
std::string as_iblinkinfo(const IbListing& listing, bool line = false) {
  std::string text;
  for (std::size_t node = 0; node < listing.nodes.size(); ++node) {
    const IbNode& one = listing.nodes[node];
    const std::string guid = "0x" + one.id.substr(2);
    if (!line)
      text += one.id[0] == 'S' ? fmt::format("Switch: {} {}:\n", guid, one.description)
                               : fmt::format("CA: {}:\n", one.description);
    const std::string head = line ? fmt::format("{} \"{:>30}\"", guid, one.description)
                             : one.id[0] == 'S' ? ""
                                                : guid;
    for (const IbCable& cable : listing.cables)
      for (const int end : {0, 1})
        if (cable.node[end] == node)
          text += fmt::format(
              "{:>24} {:6} {:4}[  ] ==( 4X       106.25 Gbps Active/  LinkUp)==>  {}{:6} {:4}[  ] "
              "\"{}\" ( )\n",
              head, node + 1, cable.port[end], line ? "0xb8cef60300e6a1b2 " : "",
              cable.node[1 - end] + 1, cable.port[1 - end],
              listing.nodes[cable.node[1 - end]].description);
    text += fmt::format(
        "{:>24} {:6}   99[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n",
        head, node + 1);
  }
  return text;
}

/// Hosts with their adapters and leaves, and trunks, by names; hosts without one alike.
std::vector<std::string> named(const Fabric& fabric) {
  std::vector<std::string> lines;
  for (const Fabric::Host& host : fabric.hosts)
    for (const Fabric::Nic& nic : host.nics)
      lines.push_back(fmt::format("{} {} {} {}", host.name.substr(0, host.name.find("H-")),
                                  nic.adapter, fabric.switches[nic.leaf],
                                  nic.bandwidth.value().bytes_per_second));
  for (const Fabric::Trunk& trunk : fabric.trunks)
    lines.push_back(fmt::format(
        "{} {} {}", std::min(fabric.switches[trunk.from], fabric.switches[trunk.to]),
        std::max(fabric.switches[trunk.from], fabric.switches[trunk.to]), trunk.cables));
  std::ranges::sort(lines);
  return lines;
}

TEST(Iblinkinfo, tells_of_the_fabric_that_ibnetdiscover_tells_of) {
  const std::string text = text_of(real_file);
  const IbListing listing = read_ib_listing(std::make_shared<const Source>(Source{"x", text}));
  const Fabric fabric = parsed(as_iblinkinfo(listing));
  EXPECT_EQ(fabric.inner_adapters, parsed(text).inner_adapters);
  EXPECT_THAT(named(fabric), testing::ElementsAreArray(named(parsed(text))));
  const Fabric by_lines = parsed(as_iblinkinfo(listing, true));
  EXPECT_EQ(by_lines.inner_adapters, parsed(text).inner_adapters);
  EXPECT_THAT(named(by_lines), testing::ElementsAreArray(named(parsed(text))));
}

// rdma-core's iblinkinfo names the speed 10.0 Gbps of two generations, and peers that it cannot
// see.
TEST(Iblinkinfo, tells_fdr10_from_qdr_and_leaves_ports_without_a_peer_out) {
  const Fabric fabric = parsed(
      "Switch: 0x1 leaf1:\n"
      " 1  1[  ] ==( 4X  10.0 Gbps Active/  LinkUp)==>  5   1[  ] \"n1 mlx4_0\" ( )\n"
      " 1  2[  ] ==( 4X  10.0 Gbps (FDR10) Active/  LinkUp)==>  6   1[  ] \"n2 mlx4_0\" ( )\n"
      " 1  3[  ] ==( 4X  10.0 Gbps Active/  LinkUp)==>  [  ] \"Port not available\" ( )\n");
  EXPECT_THAT(named(fabric),
              testing::ElementsAre("n1 mlx4_0 leaf1 4000000000", "n2 mlx4_0 leaf1 5000000000"));
}

TEST(Iblinkinfo, switch_only_output_names_hosts_by_link_ends) {
  const Fabric fabric = parsed(
      "Switch: 0x0002c902004048b0 MF0;leaf1:MSB7800/U1:\n"
      "     1   1[  ] ==( 4X    25.78125 Gbps Active/  LinkUp)==>   5   1[  ] \"n1 mlx5_0\" ( )\n"
      "     1   2[  ] ==( 4X    25.78125 Gbps Active/  LinkUp)==>   6   1[  ] \"n2 mlx5_0\" "
      "( Could be 53.125 Gbps)\n");
  EXPECT_THAT(named(fabric),
              testing::ElementsAre("n1 mlx5_0 leaf1 12500000000", "n2 mlx5_0 leaf1 12500000000"));
}

// InfiniBand Architecture Specification: signalling rates and codings of a lane.
TEST(Ibnetdiscover, rates_are_lanes_times_what_coding_leaves_of_a_lane) {
  const std::map<std::string, double> gigabits = {{"1xSDR", 2},
                                                  {"4xDDR", 16},
                                                  {"4xQDR", 32},
                                                  {"4xFDR10", 40},
                                                  {"4xFDR", 4 * 14.0625 * 64 / 66},
                                                  {"4xEDR", 100},
                                                  {"2xHDR", 100},
                                                  {"4xHDR", 200},
                                                  {"2xNDR", 200},
                                                  {"4xNDR", 400},
                                                  {"4xXDR", 800},
                                                  {"12xQDR", 96}};
  for (const auto& [word, rate] : gigabits) {
    ASSERT_TRUE(ib_rate(word)) << word;
    EXPECT_NEAR(ib_rate(word)->bytes_per_second, rate * 1e9 / 8, 1) << word;
  }
  for (const char* word : {"", "4x", "NDR", "3xNDR", "4xNDRX", "x", "-4xNDR"})
    EXPECT_FALSE(ib_rate(word)) << word;
}

constexpr const char* two_hosts =
    "Switch\t36 \"S-1\"\t\t# \"MF0;leaf:X/U1\" enhanced port 0 lid 1 lmc 0\n"
    "[1]\t\"H-1\"[1](1) \t\t# \"n1 mlx5_0\" lid 2 4xHDR\n"
    "[2]\t\"H-2\"[1](2) \t\t# \"n2 mlx5_0\" lid 3 2xHDR\n"
    "[3][ext 1]\t\"H-3\"[1](3) \t\t# \"n2 mlx5_1\" lid 3 4xHDR\n"
    "caguid=0x1\n";

TEST(Ibnetdiscover, cables_may_be_unlike) {
  const Topology topology = topology_of(two_hosts);
  ASSERT_EQ(topology.hosts().size(), 2U);
  const auto rate = [&](Vertex nic) {
    return topology.link(topology.route(nic, topology.hosts()[0].numa_domains[0]).links[0])
        .bandwidth.bytes_per_second;
  };
  EXPECT_EQ(topology.hosts()[0].nics.size(), 1U);
  EXPECT_EQ(rate(topology.hosts()[1].nics[0]), 2 * 50e9 / 8);
  EXPECT_EQ(rate(topology.hosts()[1].nics[1]), 4 * 50e9 / 8);
}

TEST(Ibnetdiscover, adapters_of_one_name_are_hosts_of_their_own) {
  std::string text = two_hosts;
  text.replace(text.find("n2 mlx5_1"), 9, "n2 mlx5_0");
  const Fabric fabric = parsed(text);
  ASSERT_EQ(fabric.hosts.size(), 3U);
  EXPECT_EQ(fabric.hosts[1].name, "n2");
  EXPECT_EQ(fabric.hosts[2].name, "n2-H-3");
  EXPECT_EQ(fabric.notes.size(), 1U);
}

TEST(Hostlist, stands_for_its_names) {
  const auto names = [](const std::string& text) {
    return names_of_hostlist(Value::scalar_at({}, text));
  };
  EXPECT_THAT(names("n[08-11],x"), testing::ElementsAre("n08", "n09", "n10", "n11", "x"));
  EXPECT_THAT(names("r[1,3]n[1-2]"), testing::ElementsAre("r1n1", "r1n2", "r3n1", "r3n2"));
  EXPECT_THAT(names("switch.1.[9-10]"), testing::ElementsAre("switch.1.9", "switch.1.10"));
}

TEST(Slurm, a_tree_has_its_levels_and_uplinks_in_proportion_to_the_hosts_below) {
  const Topology topology = topology_of(text_of("topology.conf"), {.link = Bandwidth{1e9}});
  EXPECT_EQ(topology.hosts().size(), 12U * 8);
  EXPECT_EQ(topology.hosts()[0].name, "srv1101");
  const auto levels = network_levels(topology);
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[0].switches, 12);
  EXPECT_EQ(levels[1].switches, 6);
  EXPECT_EQ(levels[2].switches, 1);
  EXPECT_EQ(levels[0].oversubscription, 1);
  EXPECT_EQ(levels[1].most, 1);
  const auto route =
      topology.route(topology.hosts()[0].numa_domains[0], topology.hosts()[95].numa_domains[0]);
  std::vector<double> bandwidths;
  for (const int id : route.links)
    if (topology.is_cable(id)) bandwidths.push_back(topology.link(id).bandwidth.bytes_per_second);
  EXPECT_THAT(bandwidths, testing::ElementsAre(1e9, 8e9, 16e9, 16e9, 8e9, 1e9));
}

TEST(Slurm, oversubscription_is_that_of_every_level_of_a_tree) {
  const Topology topology =
      topology_of(text_of("topology.conf"), {.link = Bandwidth{1e9}, .oversubscription = 4});
  EXPECT_EQ(network_levels(topology)[0].oversubscription, 4);
  EXPECT_EQ(network_levels(topology)[1].oversubscription, 1);
}

TEST(Slurm, printed_topology_is_read_as_its_file) {
  const Topology topology = topology_of(
      "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
      "SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
      "SwitchName=core Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=leaf[1-2]\n");
  EXPECT_EQ(topology.hosts().size(), 4U);
  EXPECT_EQ(network_levels(topology)[0].switches, 2);
  EXPECT_EQ(network_levels(topology)[1].switches, 1);
  EXPECT_EQ(topology_of("BlockName=b BlockIndex=0 Nodes=n[1-4] BlockSize=4\n").hosts().size(), 4U);
}

constexpr const char* yaml =
    "- topology: blocks\n"
    "  block: {block_sizes: [2], blocks: [{block: b1, nodes: 'n[1-2]'}, {block: b2, nodes: n3}]}\n"
    "- topology: fat\n"
    "  cluster_default: true\n"
    "  tree:\n"
    "    switches:\n"
    "      - {switch: core, children: 'leaf[1-2]'}\n"
    "      - {switch: leaf1, nodes: 'n[1-4]'}\n"
    "      - {switch: leaf2, nodes: 'n[5-8]'}\n";

TEST(Slurm, the_yaml_is_read_as_the_clusters_default_says) {
  const Topology topology = topology_of(yaml);
  EXPECT_EQ(topology.hosts().size(), 8U);
  EXPECT_EQ(network_levels(topology).size(), 2U);
}

TEST(Slurm, blocks_are_joined_by_a_switch_above_them) {
  std::string text = yaml;
  text.replace(text.find("cluster_default: true"), 21, "cluster_default: false");
  const Topology topology = topology_of(text);
  EXPECT_EQ(topology.hosts().size(), 3U);
  EXPECT_EQ(network_levels(topology)[1].switches, 1);
  EXPECT_EQ(topology_of("BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n3\nBlockSizes=2\n")
                .hosts()
                .size(),
            3U);
}

TEST(Topograph, models_have_their_nodes) {
  EXPECT_EQ(topology_of(text_of("small-tree.yaml")).hosts().size(), 3U + 3);
  const Topology topology = topology_of(text_of("nvl72.yaml"));
  EXPECT_EQ(topology.hosts().size(), 4U * 18);
  EXPECT_EQ(network_levels(topology).size(), 3U);
}

}  // namespace
}  // namespace ringscope
