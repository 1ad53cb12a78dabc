// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/search/place_points.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringscope {
namespace {

/// The cables that the ranks' messages take, or those of their NICs, each by the name of one
/// direction: of a ring those between neighbours.
std::vector<std::string> cables_of(const PlaceStudy& study, const Placement& placement) {
  const Topology& topology = study.scenario.cluster.topology;
  const auto& ranks = placement.ranks;
  const auto home = [&](const Location& rank) {
    const Host& host = topology.hosts()[rank.host];
    return rank.gpu >= 0 ? host.gpus[rank.gpu] : host.numa_domains[rank.numa];
  };
  const bool ring = goes_round(study.scenario), nics = study.objective == Objective::worst_nic;
  const auto ends_at_nic = [&](int id) {
    return topology.graph()[topology.source_of(id)].kind == ComponentKind::nic ||
           topology.graph()[topology.target_of(id)].kind == ComponentKind::nic;
  };
  std::set<int> cables;
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    for (std::size_t b = 0; b < ranks.size(); ++b) {
      if (ranks[a].host == ranks[b].host || (ring && b != (a + 1) % ranks.size())) continue;
      for (const Route& leg :
           topology.staged_route(home(ranks[a]), home(ranks[b]), a * ranks.size() + b).legs)
        for (const int id : leg.links)
          if (topology.is_cable(id) && (!nics || ends_at_nic(id)))
            cables.insert(std::min(id, id ^ 1));
    }
  }
  return each_of(cables, [&](int id) { return topology.link(id).name; });
}

/// The list `degraded` of the cluster itself, and the cable, with what that list leaves of it.
Value degraded_with(const PlaceStudy& study, const std::string& cable) {
  std::string list;
  double share = study.degrade;
  if (const Value* own = study.scenario.cluster.resolved.find("degraded"))
    for (const Value& link : own->items()) {
      const std::string name = link.find("link")->text();
      if (name == cable)
        share *= link.find("share")->number(0, 1);
      else
        list += fmt::format("{{link: '{}', share: {}}}, ", name, link.find("share")->text());
    }
  list += fmt::format("{{link: '{}', share: {}}}", cable, share);
  return Value::from_text("place", '[' + list + ']');
}

/// Faults, each of one run: cables, or hosts.
std::vector<std::string> faults_of(const PlaceStudy& study, const Placement& placement) {
  if (study.objective == Objective::time) return {};
  if (study.objective != Objective::straggler) return cables_of(study, placement);
  const auto hosts = study.scenario.cluster.topology.hosts();
  std::vector<std::string> names;
  for (int host = 0; host < std::ssize(hosts); ++host)
    if (std::ranges::find(placement.ranks, host, &Location::host) != placement.ranks.end() &&
        (study.slow_hosts.empty() || std::ranges::count(study.slow_hosts, host) > 0))
      names.push_back(hosts[host].name);
  return names;
}

/// A run under one order of the groups; the study outlives it.
struct PointRun {
  const PlaceStudy* study;
  Placement placement;
  std::string degraded;
};

std::string words_of(const PointRun& run) {
  const bool nested = !run.study->groups.empty();
  return fmt::format("{}{}{}{}", run.study->groups, nested ? " " : "", run.placement.text,
                     run.degraded.empty() ? "" : " with " + run.degraded + " degraded");
}

/// Why there is none, where that can be told.
std::string why_no_placement(const PlacementRules& rules) {
  const int slots = std::accumulate(rules.slots.begin(), rules.slots.end(), 0);
  if (slots < rules.ranks) return fmt::format(": the hosts have {} slots for them", slots);
  const auto hosts = std::ranges::count_if(rules.slots, [](int one) { return one > 0; });
  if (std::ssize(rules.apart) > hosts - std::ssize(rules.closed))
    return fmt::format(
        ": {} of them are apart, and {} hosts have slots, {} of them with a rank apart that stays",
        rules.apart.size(), hosts, rules.closed.size());
  if (!rules.whole_hosts) return "";
  std::set<int> sizes(rules.slots.begin(), rules.slots.end());
  sizes.erase(0);
  return fmt::format(": hosts with all of their {} slots used do not add up to this number",
                     fmt::join(sizes, " or "));
}

}  // namespace

std::vector<PlaceRun> runs_of(const PlaceStudy& study, std::span<const Placement> placements) {
  std::vector<PlaceRun> runs;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    for (const std::string& fault : faults_of(study, placements[i])) runs.push_back({i, fault});
    if (runs.empty() || runs.back().placement != i) runs.push_back({i, ""});
  }
  return runs;
}

Scenario placed_scenario(const PlaceStudy& study, const Placement& placement,
                         const std::string& degraded, KnownParts& known) {
  std::string name = study.name + " " + placement.text;
  const Job& job = study.scenario.job;
  Value tree = study.tree;
  if (!degraded.empty()) {
    name += fmt::format(" with {} degraded", degraded);
    if (study.objective == Objective::straggler)
      lay_over(tree, "job.noise.stragglers",
               Value::from_text("place", fmt::format("{{hosts: ['{}'], slowdown: {}}}", degraded,
                                                     1 / study.degrade)));
    else
      lay_over(tree, "cluster.degraded", degraded_with(study, degraded));
  } else if (job.nccl == nullptr && job.groups == nullptr) {  // NCCL chooses by the placement
    Scenario scenario = study.scenario;
    scenario.placement = placement;
    scenario.name = name;
    return scenario;
  }
  std::vector<Placement> placed = placements_of(study.scenario);
  placed.front() = placement;
  Scenario scenario = read_placed(tree, placed, known);
  scenario.name = name;
  return scenario;
}

Placements allowed_placements(const PlaceStudy& study, const Symmetry& symmetry) {
  PlacementRules rules = study.rules;
  // A hash that chooses among routes depends on the numbers of the ranks.
  rules.rotations = rules.rotations && symmetry.only_routes();
  Placements placements(symmetry, rules);
  if (!placements.some())
    study.tree.fail("no placement of {} ranks keeps to the rules of 'place'{}", rules.ranks,
                    why_no_placement(rules));
  return placements;
}

Points place_points(const PlaceStudy& study) {
  const Symmetry symmetry(study.scenario.cluster.topology, symmetry_rules(study));
  const Placements allowed = allowed_placements(study, symmetry);
  const auto assignments =
      allowed.all(std::max<std::size_t>(1, study.budget / study.tried().size()));
  if (!assignments)
    study.tree.fail(
        "more than {} placements differ, the 'budget': a search goes from one to the next, and is "
        "not distributed to shards; raise the budget to simulate them all, or omit --shard",
        study.budget);
  const auto runs = std::make_shared<std::vector<PointRun>>();
  const auto add = [&](const PlaceStudy& order, std::vector<Placement> placements) {
    for (const PlaceRun& run : runs_of(order, placements))
      runs->push_back({&order, placements[run.placement], run.degraded});
  };
  add(study, {study.scenario.placement});
  const std::size_t own = runs->size();
  for (const PlaceStudy& order : study.tried()) {
    std::vector<Placement> placements;
    for (const Assignment& assignment : *assignments)
      placements.push_back(placement_of(order, allowed.bins(), assignment));
    add(order, std::move(placements));
  }
  Points points{study.name, {}, {}, {0, runs->size() - 1}};
  for (std::size_t i = 0; i < runs->size(); ++i)
    points.words.push_back((i < own ? "yours: " : "") + words_of((*runs)[i]));
  points.make = [runs](std::size_t index, KnownParts& known) {
    const PointRun& run = (*runs)[index];
    return placed_scenario(*run.study, run.placement, run.degraded, known);
  };
  return points;
}

}  // namespace ringscope
