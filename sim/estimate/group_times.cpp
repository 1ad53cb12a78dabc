// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/estimate/group_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/simulation.hpp"

namespace ringscope {
namespace {

constexpr std::size_t many_ranks = 256;
constexpr std::uint64_t long_bytes = std::uint64_t{1} << 29;  ///< from here on, times grow evenly

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
  if (bytes > 2 * long_bytes) {
    const double one = collective(kind, algorithm, long_bytes);
    const double more = collective(kind, algorithm, 2 * long_bytes) - one;
    return one + more * static_cast<double>(bytes - long_bytes) / static_cast<double>(long_bytes);
  }
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

const GroupTimes::Groups& GroupTimes::groups_of(std::string_view kind) {
  const auto [found, is_new] = of_kind_.try_emplace(std::string(kind));
  Groups& groups = found->second;
  if (!is_new) return groups;
  const Table<Location>& all = scenario_.placement.ranks;
  const auto is_near = [&](int rank) {
    return all.size() <= many_ranks || all[rank].host == all[0].host;
  };
  std::vector<SharedRanks> chosen;
  std::map<int, int> numbers;
  for (const RankGroup& group : groups_)
    if (group.name == kind && std::ranges::any_of(*group.ranks, is_near)) {
      chosen.push_back(group.ranks);
      for (const int rank : *group.ranks) numbers[rank] = 0;
    }
  groups.placement.text = scenario_.placement.text;
  for (auto& [rank, number] : numbers) {
    number = int(std::ssize(groups.placement.ranks));
    groups.placement.ranks.push_back(all[rank]);
    groups.places += fmt::format("{}.{} ", all[rank].host, all[rank].gpu);
  }
  groups.one = chosen.size() == 1;
  groups.alone = chosen.empty() || chosen.front()->size() < 2;
  for (const SharedRanks& group : chosen) {
    std::vector<int> own = each_of(*group, [&](int rank) { return numbers.at(rank); });
    groups.lists += fmt::format("[{}], ", fmt::join(own, ", "));
  }
  return groups;
}

double GroupTimes::simulated(std::string_view kind, const std::string& step,
                             const std::string& alone) {
  const Groups& groups = groups_of(kind);
  if (groups.alone) return 0;
  const std::string job =
      groups.one && !alone.empty()
          ? alone
          : fmt::format("groups: {{g: [{}]}}\nprogram: [{}]", groups.lists, step);
  const std::string asked = machine_ + groups.places + job;
  if (const auto found = times_.find(asked); found != times_.end()) return found->second;
  Value tree = scenario_.resolved;
  tree.set("neighbours", Value());
  tree.set("job", Value::from_text("groups", job));
  RunOptions options;
  options.path_limit = 0;
  const double time = simulate(read_placed(tree, {&groups.placement, 1}, known_), options).time_s;
  return times_.emplace(asked, time).first->second;
}

}  // namespace ringscope
