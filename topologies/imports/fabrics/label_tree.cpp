// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/fabrics/fabric.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace ringscope {
namespace {

/// True if hosts with one value of the label `fine` have one of `coarse`.
bool refines(const std::vector<LabelledHost>& hosts, std::size_t fine, std::size_t coarse) {
  std::map<std::string, std::string> known;
  for (const LabelledHost& host : hosts)
    if (known.emplace(host.values[fine], host.values[coarse]).first->second != host.values[coarse])
      return false;
  return true;
}

/// Indices of the labels as they are given, but each outside those that refine it.
std::vector<std::size_t> outside_in(std::size_t labels, const std::vector<LabelledHost>& hosts) {
  std::vector<std::size_t> order;
  for (std::size_t label = 0; label < labels; ++label)
    order.insert(std::ranges::find_if(order,
                                      [&](std::size_t other) {
                                        return refines(hosts, other, label) &&
                                               !refines(hosts, label, other);
                                      }),
                 label);
  return order;
}

/// True if some of these are equal, and not all.
bool splits(const std::multiset<std::string>& values) {
  const std::size_t count = std::set(values.begin(), values.end()).size();
  return count > 1 && count < values.size();
}

void note_devices(const std::vector<LabelledHost>& hosts, Fabric& fabric) {
  std::map<std::pair<int, int>, int> counts;
  for (const LabelledHost& host : hosts) ++counts[{host.cpus, host.gpus}];
  for (const auto& [devices, count] : counts)
    if (devices != std::pair(0, 0))
      fabric.note("omitted: {}{} GPUs of each of {} hosts; --host names a cluster with such hosts",
                  devices.first > 0 ? fmt::format("{} CPUs and ", devices.first) : "",
                  devices.second, count);
}

}  // namespace

Fabric fabric_of_labels(const std::vector<std::string>& labels,
                        const std::vector<LabelledHost>& hosts) {
  const std::string top = "top";
  SwitchTree tree;
  tree.add(Value::scalar_at({}, top));
  std::map<std::string, std::string> switches = {{top, top}};  // by the values on the way to them
  std::set<std::string> taken = {top};
  for (const LabelledHost& host : hosts) taken.insert(host.name);
  std::vector<std::string> above(hosts.size(), top), used;
  for (const std::size_t label : outside_in(labels.size(), hosts)) {
    std::map<std::string, std::multiset<std::string>> groups;
    for (std::size_t i = 0; i < hosts.size(); ++i) groups[above[i]].insert(hosts[i].values[label]);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const std::string& value = hosts[i].values[label];
      if (value.empty() || !splits(groups.at(above[i]))) continue;
      const std::string outer = above[i];
      above[i] += '/' + value;
      if (switches.contains(above[i])) continue;
      const std::string& name = taken.insert(value).second ? value : above[i];
      switches.emplace(above[i], name);
      tree.add(Value::scalar_at(hosts[i].place, name));
      tree.add_child(switches.at(outer), name, hosts[i].place);
      if (used.empty() || used.back() != labels[label]) used.push_back(labels[label]);
    }
  }
  for (std::size_t i = 0; i < hosts.size(); ++i)
    tree.add_host(switches.at(above[i]), hosts[i].name, hosts[i].place);
  Fabric fabric = tree.fabric();
  if (used.empty())
    fabric.note("guessed: one switch joins all hosts, because no label divides them");
  else
    fabric.note(
        "guessed: a switch for each value of {}, and one above all; NVLinks between hosts are "
        "omitted",
        fmt::join(used, ", "));
  note_devices(hosts, fabric);
  return fabric;
}

}  // namespace ringscope
