// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/text/topology_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/table.hpp"
#include "scenarios/answer/text/table.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/networks/levels.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_endpoints = 16;
constexpr std::size_t most_rows = 40;
constexpr Array<std::string_view, 6> kind_names = {"NUMA domain", "PCIe switch",    "GPU",
                                                   "NIC",         "network switch", "NVSwitch"};

std::string_view kind_name(ComponentKind kind) { return kind_names[kind]; }

/// Prints all rows, or at most `most_rows` and how many are left out.
class LongTable {
 public:
  LongTable(std::vector<TextTable::Column> columns, bool all)
      : table_(std::move(columns)), most_(all ? SIZE_MAX : most_rows) {}
  void add(std::vector<std::string> cells) {
    if (++rows_ <= most_) table_.add(std::move(cells));
  }
  std::string text() const {
    std::string text = table_.text(2);
    if (rows_ > most_) text += fmt::format("  ... and {} more; --all shows them\n", rows_ - most_);
    return text;
  }

 private:
  TextTable table_;
  std::size_t most_;
  std::size_t rows_ = 0;
};

std::string print_components(const Topology& topology, bool all) {
  LongTable table({text_column("component"), text_column("kind"), "cores", "memory"}, all);
  const Graph& graph = topology.graph();
  for (Vertex vertex = 0; vertex < graph.size(); ++vertex) {
    const Component& component = graph[vertex];
    const bool memory = component.kind == ComponentKind::numa_domain;
    table.add({component.name, std::string(kind_name(component.kind)),
               component.cores > 0 ? std::to_string(component.cores) : "",
               memory ? to_short_text(component.memory) : ""});
  }
  return fmt::format("Components: {}\n", graph.size()) + table.text();
}

std::string print_links(const Topology& topology, bool all) {
  LongTable table({text_column("link"), "bandwidth", "latency"}, all);
  for (int id = 0; id < topology.link_count(); ++id) {
    const Link& link = topology.link(id);
    table.add({link.name, to_short_text(link.bandwidth), to_short_text(link.latency)});
  }
  return fmt::format("Links, each direction by itself: {}\n", topology.link_count()) + table.text();
}

/// Three significant digits at most, for the narrow cells of a matrix.
std::string cell(double value) {
  if (!std::isfinite(value)) return "-";
  const int digits_before_point =
      value < 1 ? 1 : 1 + static_cast<int>(std::floor(std::log10(value)));
  return fmt::format("{:.{}f}", value, std::clamp(3 - digits_before_point, 0, 2));
}

struct Scale {
  double factor;
  std::string_view unit;
};

/// The last unit in which the largest value is at least 1.
Scale scale_for(double largest, std::span<const Scale> scales) {
  for (const Scale& scale : scales) {
    if (largest * scale.factor >= 1) return scale;
  }
  return scales.back();
}

std::string print_matrix(const std::string& title, const std::vector<std::vector<double>>& values,
                         std::span<const Scale> scales) {
  double largest = 0;
  for (const auto& row : values) {
    for (const double value : row)
      largest = std::isfinite(value) ? std::max(largest, value) : largest;
  }
  const auto [factor, unit] = scale_for(largest, scales);
  return fmt::format("{} in {}, from the row's to the column's\n", title, unit) +
         square_text("to", values.size(), [&values, by = factor](std::size_t from, std::size_t to) {
           return cell(values[from][to] * by);
         });
}

std::string count_cell(int count) { return count == 0 ? "" : std::to_string(count); }

std::string ratio_cell(double ratio) { return ratio == 0 ? "" : fmt::format("{:.3g}", ratio); }

std::string print_load(const RouteLoad& load, std::string_view flows) {
  return fmt::format(
      "  {}: {} pass a link between switches, up to {} the same; {:.3g} on average\n", flows,
      load.flows, load.most, load.mean);
}

/// Collisions of the hash that chooses among equal routes.
std::string print_loads(const Topology& topology) {
  constexpr std::size_t most_hosts = 1024;  // all pairs of them take 2 s
  if (topology.hosts().size() < 2 || topology.hosts().size() > most_hosts) return "";
  return "Flows as the hash routes them (hash_seed)\n" +
         print_load(load_of_shift(topology), "from each host to that half-way round") +
         print_load(load_of_pairs(topology), "between every two hosts, each way") + '\n';
}

}  // namespace

std::string print_parts(const Topology& topology, bool all) {
  return print_components(topology, all) + '\n' + print_links(topology, all);
}

std::string print_route(const Topology& topology, const StagedRoute& journey, const Endpoint& from,
                        const Endpoint& to) {
  std::string text = fmt::format("From {} to {}: ", from.label, to.label);
  if (from.vertex == to.vertex) return text + "in the same memory\n";
  Bandwidth narrowest = Bandwidth::unlimited();
  TextTable table({text_column("link"), "bandwidth", "latency"});
  for (std::size_t leg = 0; leg < journey.legs.size(); ++leg) {
    const Route& route = journey.legs[leg];
    if (route.bandwidth.bytes_per_second < narrowest.bytes_per_second) narrowest = route.bandwidth;
    if (leg > 0)
      table.add({"  staged in " + topology.graph()[journey.staging[leg - 1]].name, "", ""});
    for (const int id : route.links) {
      const Link& link = topology.link(id);
      table.add({link.name, to_short_text(link.bandwidth), to_short_text(link.latency)});
    }
  }
  text += fmt::format("{}, {}\n", to_short_text(narrowest), to_short_text(journey.latency));
  return text + table.text(2);
}

std::string print_matrices(const Topology& topology, const std::vector<Endpoint>& endpoints) {
  constexpr Scale bandwidths[] = {{1e-9, "GB/s"}, {1e-6, "MB/s"}, {1e-3, "kB/s"}, {1, "B/s"}};
  constexpr Scale latencies[] = {{1, "s"}, {1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}};
  const std::size_t shown = std::min(most_endpoints, endpoints.size());
  std::vector<std::vector<double>> bandwidth(shown), latency(shown);
  for (std::size_t from = 0; from < shown; ++from) {
    for (std::size_t to = 0; to < shown; ++to) {
      const Route route = topology.route(endpoints[from].vertex, endpoints[to].vertex);
      const bool unlimited = route.links.empty() || route.bandwidth.is_unlimited();
      bandwidth[from].push_back(unlimited ? INFINITY : route.bandwidth.bytes_per_second);
      latency[from].push_back(route.links.empty() ? INFINITY : route.latency.count());
    }
  }
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("{:>2}  {}\n", i, endpoints[i].label);
  if (shown < endpoints.size()) {
    text += fmt::format("... and {} more, omitted from the matrices\n", endpoints.size() - shown);
  }
  return text + '\n' + print_matrix("Bandwidth", bandwidth, bandwidths) + '\n' +
         print_matrix("Latency", latency, latencies);
}

std::string print_network(const Topology& topology) {
  const auto levels = network_levels(topology);
  int switches = 0;
  for (const NetworkLevel& level : levels) switches += level.switches;
  if (switches < 2) return "";
  TextTable table({"level", "switches", "host links", "down", "between", "up", "oversubscription",
                   "per switch"});
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const NetworkLevel& level = levels[i];
    const std::string least = ratio_cell(level.least), most = ratio_cell(level.most);
    table.add({std::to_string(i + 1), std::to_string(level.switches), count_cell(level.hosts),
               count_cell(level.down), count_cell(level.beside), count_cell(level.up),
               ratio_cell(level.oversubscription),
               least == most ? least : fmt::format("{} to {}", least, most)});
  }
  return fmt::format("Network: {} hosts, {} switches in {}; links of each level\n",
                     topology.hosts().size(), switches, plural(levels.size(), "level")) +
         table.text(2) + '\n' + print_loads(topology);
}

}  // namespace ringscope
