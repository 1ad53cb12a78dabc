// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/table.hpp"
#include "topologies/exports/exports.hpp"

#include <fmt/format.h>

#include <iterator>

namespace ringscope {
namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string_view shape_of(ComponentKind kind) {
  switch (kind) {
    case ComponentKind::numa_domain:
      return "box";
    case ComponentKind::pcie_switch:
      return "diamond";
    case ComponentKind::gpu:
      return "box3d";
    case ComponentKind::nic:
      return "cds";
    case ComponentKind::network_switch:
      return "ellipse";
    case ComponentKind::nvswitch:
      return "hexagon";
  }
  return "";
}

std::string node(const Component& component, std::string_view indent) {
  const std::string cores = component.kind == ComponentKind::numa_domain
                                ? fmt::format("\\n{} cores", component.cores)
                                : "";
  std::string label = in_quotes(component.name);
  label.insert(label.size() - 1, cores);
  return fmt::format("{}{} [shape={}, label={}];\n", indent, in_quotes(component.name),
                     shape_of(component.kind), label);
}

}  // namespace

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

}  // namespace ringscope
