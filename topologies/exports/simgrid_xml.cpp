// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/exports/exports.hpp"

// A topology as a SimGrid platform, for those who want to go on there.
//
// What SimGrid's routing cannot say is left out: that GPUs and hosts do not forward, and that flows
// spread over equal ways. Parallel cables become one, as wide as all of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topologies/exports/markup.hpp"

namespace ringscope {
namespace {

/// A SimGrid host computes: a NUMA domain with its cores, or a GPU. All else only has links.
std::string node(const Component& component) {
  const std::string name = escaped_markup(component.name);
  const bool gpu = component.kind == ComponentKind::gpu;
  if (!gpu && component.kind != ComponentKind::numa_domain)
    return fmt::format("    <router id=\"{}\"/>\n", name);
  // A rate is asked for; nothing here says one.
  return fmt::format("    <host id=\"{}\" speed=\"1Gf\" core=\"{}\"/>\n", name,
                     gpu ? 1 : std::max(1, component.cores));
}

/// An unlimited link shares nothing; its bandwidth is one that nobody can fill.
std::string link(std::string_view name, Bandwidth bandwidth, Seconds latency) {
  constexpr double never_full = 1e18;
  const bool unlimited = bandwidth.is_unlimited();
  return fmt::format(
      "    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"{}\"/>\n", name,
      unlimited ? never_full : bandwidth.bytes_per_second, latency.count(),
      unlimited ? "FATPIPE" : "SHARED");
}

/// All links from one component to another.
struct Bundle {
  std::string name;
  Bandwidth bandwidth{}, both{};
  Seconds latency{};
};

void add(Bandwidth& sum, Bandwidth more) { sum.bytes_per_second += more.bytes_per_second; }

std::map<std::pair<Vertex, Vertex>, Bundle> bundles(const Topology& topology) {
  std::map<std::pair<Vertex, Vertex>, Bundle> result;
  for (int id = 0; id < topology.link_count(); ++id) {
    const Link& part = topology.link(id);
    const Vertex from = topology.source_of(id), to = topology.target_of(id);
    Bundle& bundle = result[{from, to}];
    bundle.name = fmt::format("{}->{}", topology.graph()[from].name, topology.graph()[to].name);
    bundle.latency = std::max(bundle.latency, part.latency);
    add(bundle.bandwidth, part.bandwidth);
    add(bundle.both, part.both);
  }
  return result;
}

}  // namespace

std::string to_simgrid(const Topology& topology) {
  const Graph& graph = topology.graph();
  std::string nodes, links, routes;
  for (Vertex v = 0; v < graph.size(); ++v) nodes += node(graph[v]);
  for (const auto& [ends, bundle] : bundles(topology)) {
    const std::string source = escaped_markup(graph[ends.first].name);
    const std::string target = escaped_markup(graph[ends.second].name);
    const std::string name = escaped_markup(bundle.name);
    links += link(name, bundle.bandwidth, bundle.latency);
    std::string parts = fmt::format("<link_ctn id=\"{}\"/>", name);
    if (!bundle.both.is_unlimited()) {
      const auto& [one, other] = std::minmax(source, target);
      const std::string both = fmt::format("{}&lt;-&gt;{}", one, other);
      if (source == one) links += link(both, bundle.both, Seconds(0));
      parts += fmt::format("<link_ctn id=\"{}\"/>", both);
    }
    routes += fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">{}</route>\n",
                          source, target, parts);
  }
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n  <zone id=\"topology\" routing=\"Dijkstra\">\n"
      "{}{}{}  </zone>\n</platform>\n",
      nodes, links, routes);
}

}  // namespace ringscope
