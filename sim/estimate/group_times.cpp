// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/estimate/group_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "sim/simulation.hpp"

namespace ringscope {
namespace {

constexpr std::size_t many_ranks = 256;

/// Groups as a program's `groups` lists them, with the ranks numbered anew.
struct Chosen {
  Placement placement;
  std::vector<std::vector<int>> groups;
};

Chosen chosen(const std::vector<RankGroup>& groups, std::string_view kind,
              const Placement& placement) {
  const bool all = placement.ranks.size() <= many_ranks;
  const auto is_near = [&](int rank) {
    return all || placement.ranks[rank].host == placement.ranks[0].host;
  };
  Chosen result{{placement.text, {}}, {}};
  std::map<int, int> numbers;
  for (const RankGroup& group : groups) {
    if (group.name != kind || std::ranges::none_of(*group.ranks, is_near)) continue;
    result.groups.emplace_back(group.ranks->begin(), group.ranks->end());
    for (const int rank : result.groups.back()) numbers[rank] = 0;
  }
  for (auto& [rank, number] : numbers) {
    number = static_cast<int>(result.placement.ranks.size());
    result.placement.ranks.push_back(placement.ranks[rank]);
  }
  for (std::vector<int>& group : result.groups)
    for (int& rank : group) rank = numbers.at(rank);
  return result;
}

}  // namespace

GroupTimes::GroupTimes(const Scenario& scenario, KnownParts& known, SimulatedPrograms& simulated)
    : scenario_(scenario),
      known_(known),
      groups_(scenario.job.algorithm->groups(static_cast<int>(scenario.placement.ranks.size()),
                                             scenario.job.options)),
      times_(simulated),
      machine_(canonical(*scenario.resolved.find("cluster")) +
               canonical(*scenario.resolved.find("library"))) {}

double GroupTimes::collective(std::string_view kind, const Algorithm& algorithm,
                              std::uint64_t bytes) {
  if (bytes == 0) return 0;
  return simulated(kind,
                   fmt::format("{{{}: {} B, algorithm: {}, group: g}}", algorithm.collective, bytes,
                               algorithm.name),
                   fmt::format("{{collective: {}, algorithm: {}, bytes: {} B}}",
                               algorithm.collective, algorithm.name, bytes));
}

double GroupTimes::message(std::string_view kind, std::uint64_t bytes, int from, int to) {
  if (bytes == 0) return 0;
  return simulated(kind,
                   fmt::format("{{send: {0} B, to: {2}, group: g, on: {{g: {1}}}}}, "
                               "{{receive: {0} B, from: {1}, group: g, on: {{g: {2}}}}}",
                               bytes, from, to),
                   "");
}

double GroupTimes::round(std::string_view kind, std::uint64_t bytes) {
  if (bytes == 0) return 0;
  return simulated(kind,
                   fmt::format("{{together: [{{send: {0} B, to: next, group: g, around: true}}, "
                               "{{receive: {0} B, from: previous, group: g, around: true}}]}}",
                               bytes),
                   "");
}

double GroupTimes::simulated(std::string_view kind, const std::string& step,
                             const std::string& alone) {
  const Chosen groups = chosen(groups_, kind, scenario_.placement);
  if (groups.groups.empty() || groups.groups.front().size() < 2) return 0;
  std::vector<std::string> lists;
  for (const std::vector<int>& group : groups.groups)
    lists.push_back(fmt::format("[{}]", fmt::join(group, ", ")));
  const std::string job =
      lists.size() == 1 && !alone.empty()
          ? alone
          : fmt::format("groups: {{g: [{}]}}\nprogram: [{}]", fmt::join(lists, ", "), step);
  std::string places = machine_;
  for (const Location& at : groups.placement.ranks)
    places += fmt::format("{}.{} ", at.host, at.gpu);
  const auto [at, is_new] = times_.try_emplace(places + job, 0);
  if (!is_new) return at->second;
  Value tree = scenario_.resolved;
  tree.set("neighbours", Value());
  tree.set("job", Value::from_text("groups", job));
  const Placement placed[] = {groups.placement};
  RunOptions options;
  options.path_limit = 0;
  at->second = simulate(read_placed(tree, placed, known_), options).time_s;
  return at->second;
}

}  // namespace ringscope
