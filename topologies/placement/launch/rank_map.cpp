// SPDX-License-Identifier: LGPL-2.1-or-later
// The map from ranks to hosts, for launchers and schedulers of one's own.

#include "topologies/input/characters.hpp"
#include "topologies/placement/launch/launch_formats.hpp"

namespace ringscope {

/// One line a rank: {"rank": 3, "host": "host1", "switch": "rack0/switch", "gpu": 0}.
std::optional<std::string> rank_map(const LaunchTask& launch) {
  std::string rows;
  int number = 0;
  for (const Location& rank : launch.placement.ranks) {
    const Host& host = launch.topology.hosts()[rank.host];
    rows += fmt::format("{}\n    {{\"rank\": {}, \"host\": {}", rows.empty() ? "" : ",", number++,
                        in_quotes(host.name));
    if (const auto leaves = leaf_switches(launch.topology, rank.host); !leaves.empty())
      rows +=
          fmt::format(", \"switch\": {}", in_quotes(launch.topology.graph()[*leaves.begin()].name));
    if (rank.gpu >= 0) rows += fmt::format(", \"gpu\": {}", rank.gpu);
    if (rank.binding != Binding::host) rows += fmt::format(", \"numa\": {}", rank.numa);
    if (rank.binding == Binding::core) rows += fmt::format(", \"core\": {}", rank.core);
    rows += "}";
  }
  return fmt::format("{{\n  \"schema\": 1,\n  \"groups\": {},\n  \"ranks\": [{}\n  ]\n}}\n",
                     in_quotes(launch.groups), rows);
}

}  // namespace ringscope
