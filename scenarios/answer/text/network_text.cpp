// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include "scenarios/answer/text/table.hpp"
#include "scenarios/answer/text/topology_text.hpp"
#include "topologies/networks/levels.hpp"

namespace ringscope {
namespace {

std::string count_cell(int count) { return count == 0 ? "" : std::to_string(count); }

std::string ratio_cell(double ratio) { return ratio == 0 ? "" : fmt::format("{:.3g}", ratio); }

std::string print_load(const RouteLoad& load, std::string_view flows) {
  return fmt::format(
      "  {}: {} pass a cable between switches, up to {} the same; {:.3g} on average\n", flows,
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

std::string print_network(const Topology& topology) {
  const auto levels = network_levels(topology);
  int switches = 0;
  for (const NetworkLevel& level : levels) switches += level.switches;
  if (switches < 2) return "";
  TextTable table({{"level"},
                   {"switches"},
                   {"cables of hosts"},
                   {"down"},
                   {"between"},
                   {"up"},
                   {"oversubscription"},
                   {"of a switch"}});
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const NetworkLevel& level = levels[i];
    const std::string least = ratio_cell(level.least), most = ratio_cell(level.most);
    table.add({std::to_string(i + 1), std::to_string(level.switches), count_cell(level.hosts),
               count_cell(level.down), count_cell(level.beside), count_cell(level.up),
               ratio_cell(level.oversubscription),
               least == most ? least : fmt::format("{} to {}", least, most)});
  }
  return fmt::format("Network: {} hosts, {} switches in {} level{}; cables of each level\n",
                     topology.hosts().size(), switches, levels.size(),
                     levels.size() == 1 ? "" : "s") +
         table.text(2) + '\n' + print_loads(topology);
}

}  // namespace ringscope
