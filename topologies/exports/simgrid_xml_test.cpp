// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the SimGrid platform well-formed, and is all of the topology in it?
// (What SimGrid 3.32 makes of it: load_platform() takes every shipped cluster.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/xml_parser.hpp>
#include <set>
#include <sstream>

#include "topologies/cluster.hpp"
#include "topologies/exports/exports.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

struct Platform {
  std::set<std::string> nodes, links;
  std::size_t routes = 0;
};

std::string id_of(const boost::property_tree::ptree& tag, const char* key = "<xmlattr>.id") {
  return tag.get<std::string>(key);
}

/// Throws when it is no XML; fails when a route names what is not there.
Platform parsed(const std::string& text) {
  std::istringstream stream(text);
  boost::property_tree::ptree tree;
  boost::property_tree::read_xml(stream, tree);
  EXPECT_EQ(id_of(tree, "platform.<xmlattr>.version"), "4.1");
  Platform platform;
  for (const auto& [name, tag] : tree.get_child("platform.zone")) {
    if (name == "host" || name == "router") {
      EXPECT_TRUE(platform.nodes.insert(id_of(tag)).second);
    }
    if (name == "link") {
      EXPECT_TRUE(platform.links.insert(id_of(tag)).second);
    }
    if (name != "route") continue;
    ++platform.routes;
    for (const char* end : {"<xmlattr>.src", "<xmlattr>.dst"})
      EXPECT_TRUE(platform.nodes.contains(id_of(tag, end)));
    for (const auto& [part, link] : tag)
      if (part == "link_ctn") {
        EXPECT_TRUE(platform.links.contains(id_of(link)));
      }
  }
  return platform;
}

Platform platform_of(const std::string& cluster) {
  return parsed(to_simgrid(read_cluster(Value::from_text("test", cluster)).topology));
}

TEST(SimgridXml, every_component_and_link_of_every_shipped_cluster_is_there) {
  for (const std::string& name : names_in("topologies/clusters")) {
    const Topology topology = read_cluster(Value::from_text("test", name)).topology;
    const Platform platform = parsed(to_simgrid(topology));
    EXPECT_EQ(platform.nodes.size(), topology.graph().size()) << name;
    EXPECT_EQ(platform.links.size(), static_cast<std::size_t>(topology.link_count())) << name;
    EXPECT_EQ(platform.routes, platform.links.size()) << name;
  }
}

TEST(SimgridXml, a_limit_of_both_directions_is_one_more_link_of_both_routes) {
  const Platform platform = platform_of("{base: pair, link: {both: 1 GB/s}}");
  EXPECT_EQ(platform.routes, 8u);
  EXPECT_EQ(platform.links.size(), 8u + 2);
  EXPECT_TRUE(platform.links.contains("host1/nic0<->switch"));
}

TEST(SimgridXml, parallel_cables_are_one_that_is_as_wide) {
  const std::string xml = to_simgrid(
      read_cluster(Value::from_text("test", "{base: two_level, uplinks: 3, oversubscription: 1}"))
          .topology);
  // Eight hosts of 10 Gbit/s each, not oversubscribed.
  EXPECT_THAT(xml,
              testing::HasSubstr("<link id=\"rack0/switch->core\" bandwidth=\"10000000000Bps\" "
                                 "latency=\"5e-06s\" sharing_policy=\"SHARED\"/>"));
  EXPECT_EQ(parsed(xml).routes, 2u * (32 + 32 + 4));
}

TEST(SimgridXml, a_host_on_a_switch_reads_like_this) {
  const std::string cluster =
      "{network: fabric, switches: ['a&b'], link: {bandwidth: 10 Gbit/s, latency: 5 us}, "
      "host: {type: simple, cores: 8}, hosts: [{name: n, to: ['a&b']}]}";
  const std::string xml = to_simgrid(read_cluster(Value::from_text("test", cluster)).topology);
  EXPECT_EQ(xml,
            "<?xml version=\"1.0\"?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<platform version=\"4.1\">\n"
            "  <zone id=\"topology\" routing=\"Dijkstra\">\n"
            "    <router id=\"a&amp;b\"/>\n"
            "    <host id=\"n/numa0\" speed=\"1Gf\" core=\"8\"/>\n"
            "    <router id=\"n/nic0\"/>\n"
            "    <link id=\"a&amp;b->n/nic0\" bandwidth=\"1250000000Bps\" latency=\"5e-06s\" "
            "sharing_policy=\"SHARED\"/>\n"
            "    <link id=\"n/numa0->n/nic0\" bandwidth=\"1e+18Bps\" latency=\"0s\" "
            "sharing_policy=\"FATPIPE\"/>\n"
            "    <link id=\"n/nic0->a&amp;b\" bandwidth=\"1250000000Bps\" latency=\"5e-06s\" "
            "sharing_policy=\"SHARED\"/>\n"
            "    <link id=\"n/nic0->n/numa0\" bandwidth=\"1e+18Bps\" latency=\"0s\" "
            "sharing_policy=\"FATPIPE\"/>\n"
            "    <route src=\"a&amp;b\" dst=\"n/nic0\" symmetrical=\"NO\">"
            "<link_ctn id=\"a&amp;b->n/nic0\"/></route>\n"
            "    <route src=\"n/numa0\" dst=\"n/nic0\" symmetrical=\"NO\">"
            "<link_ctn id=\"n/numa0->n/nic0\"/></route>\n"
            "    <route src=\"n/nic0\" dst=\"a&amp;b\" symmetrical=\"NO\">"
            "<link_ctn id=\"n/nic0->a&amp;b\"/></route>\n"
            "    <route src=\"n/nic0\" dst=\"n/numa0\" symmetrical=\"NO\">"
            "<link_ctn id=\"n/nic0->n/numa0\"/></route>\n"
            "  </zone>\n"
            "</platform>\n");
}

}  // namespace
}  // namespace ringscope
