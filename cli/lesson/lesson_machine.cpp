// SPDX-License-Identifier: LGPL-2.1-or-later
// The cluster as a page draws it: hosts with ranks, what leads from one to another, and its loads.
#include <deque>
#include <map>
#include <set>

#include "base/table.hpp"
#include "cli/lesson/lesson_case.hpp"
#include "scenarios/answer/recording.hpp"

namespace ringscope::lesson {
namespace {

bool is_used(const LoadCurve& curve) {
  return !curve.points.empty() && curve.points.back().used > 0;
}

/// Names by ComponentKind.
constexpr Array<std::string_view, 6> kind_names = {"numa", "pcie",   "gpu",
                                                   "nic",  "switch", "nvswitch"};

/// The components that are drawn: those of the hosts with ranks, and the switches that the ways
/// between them lead over, or links that carried data.
std::set<Vertex> drawn(const Scenario& scenario, const Recording& recording) {
  const Topology& topology = scenario.cluster.topology;
  const auto& ranks = scenario.placement.ranks;
  std::set<Vertex> all;
  for (const Location& where : ranks) {
    const Host& host = topology.hosts()[where.host];
    for (const auto& list : {host.numa_domains, host.gpus, host.nics, host.pcie_switches})
      all.insert(list.begin(), list.end());
  }
  for (Vertex v = 0; v < topology.graph().size(); ++v)
    if (const Component& one = topology.graph()[v];
        one.kind == ComponentKind::nvswitch && one.host >= 0)
      for (const Location& where : ranks)
        if (where.host == one.host) all.insert(v);
  const auto draw = [&](int link) {
    all.insert({topology.source_of(link), topology.target_of(link)});
  };
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const Vertex from = home_of(topology, ranks[rank]);
    const Vertex to = home_of(topology, ranks[(rank + 1) % ranks.size()]);
    for (const int id : topology.route(from, to).links) draw(id);
  }
  std::set<ResourceId> used;
  for (const LoadCurve& curve : recording.loads)
    if (is_used(curve)) used.insert(curve.id);
  for (int id = 0; id < topology.link_count(); ++id)
    if (used.contains({topology.link(id).name})) draw(id);
  return all;
}

Json links_json(const Topology& topology, const std::map<Vertex, int>& numbers,
                const Recording& recording) {
  // The indices among the resources that loads_json writes, of which those that were never used are
  // none (-1). Parallel cables may have one name: they come in the order of their resources.
  std::map<ResourceId, std::deque<int>> loads;
  for (int written = 0; const LoadCurve& curve : recording.loads)
    loads[curve.id].push_back(is_used(curve) ? written++ : -1);
  const auto next = [&loads](const ResourceId& link) {
    std::deque<int>& left = loads[link];
    if (left.empty()) return -1;
    const int index = left.front();
    left.pop_front();
    return index;
  };
  Json list = Json::array();
  for (int id = 0; id < topology.link_count(); id += 2) {
    const Link& link = topology.link(id);
    const int there = next({link.name}), back = next({topology.link(id + 1).name});
    const auto from = numbers.find(topology.source_of(id));
    const auto to = numbers.find(topology.target_of(id));
    if (from == numbers.end() || to == numbers.end()) continue;
    Json json = {{"from", from->second}, {"to", to->second}, {"loads", {there, back}}};
    if (!link.bandwidth.is_unlimited()) json["bandwidth"] = to_text(link.bandwidth);
    if (link.latency.count() > 0) json["latency"] = to_text(link.latency);
    list.push_back(json);
  }
  return list;
}

}  // namespace

Json machine_json(const Scenario& scenario, const Recording& recording) {
  const Topology& topology = scenario.cluster.topology;
  std::map<Vertex, int> numbers;
  std::map<int, int> hosts;
  Json components = Json::array(), names = Json::array(), ranks = Json::array();
  for (const Vertex v : drawn(scenario, recording)) {
    const Component& one = topology.graph()[v];
    if (one.host >= 0 && hosts.try_emplace(one.host, static_cast<int>(hosts.size())).second)
      names.push_back(topology.hosts()[one.host].name);
    numbers.try_emplace(v, static_cast<int>(numbers.size()));
    Json json = {{"name", one.name}, {"kind", kind_names[one.kind]}};
    json["host"] = one.host < 0 ? -1 : hosts.at(one.host);
    if (one.cores > 0) json["cores"] = one.cores;
    components.push_back(json);
  }
  for (const Location& where : scenario.placement.ranks)
    ranks.push_back(numbers.at(home_of(topology, where)));
  const std::size_t others = topology.hosts().size() - hosts.size();
  return {{"hosts", names},
          {"other_hosts", others},
          {"components", components},
          {"links", links_json(topology, numbers, recording)},
          {"ranks", ranks}};
}

}  // namespace ringscope::lesson
