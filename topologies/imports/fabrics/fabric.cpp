// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/fabrics/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ringscope {

std::vector<int> levels_of(const Fabric& fabric) {
  std::vector<int> levels(fabric.switches.size());
  std::vector<std::vector<std::size_t>> beside(fabric.switches.size());
  for (const Fabric::Trunk& trunk : fabric.trunks) {
    beside[trunk.from].push_back(trunk.to);
    beside[trunk.to].push_back(trunk.from);
  }
  std::vector<std::size_t> open;
  for (const Fabric::Host& host : fabric.hosts)
    for (const Fabric::Nic& nic : host.nics)
      if (std::exchange(levels[nic.leaf], 1) == 0) open.push_back(nic.leaf);
  for (std::size_t i = 0; i < open.size(); ++i)
    for (const std::size_t next : beside[open[i]])
      if (levels[next] == 0) {
        levels[next] = levels[open[i]] + 1;
        open.push_back(next);
      }
  return levels;
}

std::string FabricNames::add(std::string_view wanted, std::string_view otherwise) {
  const auto clean = [](std::string_view text) {
    std::string name(text);
    std::ranges::replace_if(
        name,
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-'; },
        '-');
    return name;
  };
  std::string name = clean(wanted);
  if (name.empty() || taken_.contains(name))
    name = fmt::format("{}{}{}", name, name.empty() ? "" : "-", clean(otherwise));
  while (!taken_.insert(name).second) name += "_";
  return name;
}

}  // namespace ringscope
