// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/exports/exports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/table.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

/// Shapes by ComponentKind.
constexpr Array<std::string_view, 6> shapes = {"box", "diamond", "box3d",
                                               "cds", "ellipse", "hexagon"};

std::string node(const Component& component, std::string_view indent) {
  const std::string cores = component.kind == ComponentKind::numa_domain
                                ? fmt::format("\\n{} cores", component.cores)
                                : "";
  std::string label = in_quotes(component.name);
  label.insert(label.size() - 1, cores);
  return fmt::format("{}{} [shape={}, label={}];\n", indent, in_quotes(component.name),
                     shapes[component.kind], label);
}

// A topology as a SimGrid platform, for those who want to go on there.
//
// What SimGrid's routing cannot say is left out: that GPUs and hosts do not forward, and that flows
// spread over equal ways. Parallel cables become one, as wide as all of them.

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

std::string escaped_markup(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string to_dot(const Topology& topology) {
  const Graph& graph = topology.graph();
  Table<std::string> inside(topology.hosts().size());
  std::string text = "graph topology {\n  overlap=false;\n", outside;
  for (Vertex v = 0; v < graph.size(); ++v) {
    const int host = graph[v].host;
    if (host < 0) {
      outside += node(graph[v], "  ");
    } else {
      inside[host] += node(graph[v], "    ");
    }
  }
  for (std::size_t i = 0; i < inside.size(); ++i)
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n{}  }}\n", i,
                        in_quotes(topology.hosts()[i].name), inside[i]);
  text += outside;
  // Both directions of a cable are alike: one line for the two.
  for (Vertex v = 0; v < graph.size(); ++v)
    for (const auto [to, id] : graph.edges(v)) {
      if (id % 2 != 0) continue;
      const Link& link = graph.link(id);
      text +=
          fmt::format("  {} -- {} [label=\"{}\\n{}\"];\n", in_quotes(graph[v].name),
                      in_quotes(graph[to].name), to_text(link.bandwidth), to_text(link.latency));
    }
  return text + "}\n";
}

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
