// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/study/place_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>

#include "algorithms/collectives.hpp"
#include "topologies/imports/schedulers/node_lists.hpp"
#include "topologies/input/data_files.hpp"
#include "topologies/placement/places.hpp"

namespace ringscope {
namespace {

const std::string order_names[] = {"fixed", "ring", "any", "packed"};
const std::string objective_names[] = {"time", "worst_link", "worst_nic", "straggler"};
const std::string jobs_names[] = {"own", "slowest", "mean"};

/// The case that is asked for; or the only one: cases whose placements alone differ are none.
CaseTree one_case(const StudyFile& file, const std::vector<Override>& overrides,
                  const std::string& only) {
  static const std::string placement[] = {"placement"};
  std::vector<CaseTree> cases = study_cases(
      file, overrides,
      only.empty() ? std::span<const std::string>(placement) : std::span<const std::string>());
  const std::vector<std::string> names = each_of(cases, &CaseTree::name);
  if (only.empty() && cases.size() > 1)
    file.tree.fail(
        "the scenario has several cases, and not only their placements differ; choose one with "
        "--case: {}",
        fmt::join(names, ", "));
  if (only.empty()) return std::move(cases.front());
  const auto found = std::ranges::find_if(cases, [&](const CaseTree& one) {
    return one.name == only || one.name.ends_with(' ' + only);
  });
  if (found == cases.end()) file.tree.fail("--case: " + unknown_name("case", only, names));
  return std::move(*found);
}

/// The scenario as one case, with one size.
Scenario read_own(const StudyFile& file, const std::vector<Override>& overrides,
                  const std::string& only, Value& tree) {
  const CaseTree one = one_case(file, overrides, only);
  tree = one.tree;
  std::vector<Scenario> scenarios = read_tree(tree, one.name);
  if (scenarios.size() > 1)
    file.tree.fail("the job has several sizes; place looks at one: --set job.bytes=...");
  return std::move(scenarios.front());
}

/// Requires that properties which are not varied are the same for all ranks that move.
void require_alike(const PlaceStudy& study) {
  const Location& first = study.first_moved();
  for (const int moved : study.moved) {
    const Location& rank = study.scenario.placement.ranks[moved];
    if (rank.binding != first.binding || (rank.gpu >= 0) != (first.gpu >= 0) ||
        rank.memory != first.memory || rank.nics != first.nics || rank.nic != first.nic)
      study.tree.find("placement")
          ->fail(
              "place moves ranks that are all bound the same way, all on cores or all on GPUs, "
              "with "
              "memory and NICs by one rule; here they differ");
  }
}

SlotKind slot_kind_of(const Location& rank) {
  if (rank.gpu >= 0) return SlotKind::gpu;
  return rank.binding == Binding::host ? SlotKind::host : SlotKind::core;
}

/// A ring may begin anywhere; `order: ring` insists on that. `packed`: unless told otherwise.
void read_order(Fields& fields, PlaceStudy& study, bool packed) {
  const bool round = goes_round(study.scenario) && study.moves_freely();
  const Value& order = fields.value_or("order", packed ? "packed" : round ? "ring" : "any");
  const std::size_t chosen = order.one_of("order", order_names);
  if (!study.rules.apart.empty() && chosen != 2)
    order.fail("ranks that are 'apart' may be anywhere: omit 'order' or set it to 'any'");
  if (chosen == 1 && !study.moves_all())
    order.fail("no ring may begin at any rank where some ranks stay: 'any' tries all orders");
  if (chosen == 1 && !round)
    order.fail("the {} {} is no ring that may begin at any rank; 'any' tries all orders",
               study.scenario.job.algorithm->collective, study.scenario.job.algorithm->name);
  const RankOrder orders[] = {RankOrder::fixed, RankOrder::any, RankOrder::any, RankOrder::packed};
  study.rules.order = orders[chosen];
  study.rules.rotations = round && chosen < 2;
}

/// The objective, and its faults.
void read_objective(Fields& fields, PlaceStudy& study) {
  const Value* straggler = fields.optional("straggler");
  const Value& objective =
      fields.value_or("objective", straggler == nullptr ? "time" : "straggler");
  study.objective = static_cast<Objective>(objective.one_of("objective", objective_names));
  const bool slows = study.objective == Objective::straggler;
  study.degrade = fields.value_or("degrade", "0.5").number(slows ? 0.001 : 0, 1);
  if (slows && study.scenario.job.noise.has_stragglers())
    objective.fail("the job has 'stragglers' already: omit one of them");
  if (straggler == nullptr) return;
  if (!slows) straggler->fail("'straggler' goes with the objective 'straggler'");
  Fields named(*straggler, "place.straggler");
  for (const FreeSlots& host :
       read_free_slots(named.required("hosts"), study.scenario.cluster.topology))
    study.slow_hosts.push_back(host.host);
  named.finish();
}

/// "0.1", "0.g1", or "0" where that says it.
std::string bin_text(const Topology& topology, const Bin& bin) {
  if (bin.gpu >= 0) return fmt::format("{}.g{}", bin.host, bin.gpu);
  const bool several = topology.hosts()[bin.host].numa_domains.size() > 1;
  return several ? fmt::format("{}.{}", bin.host, bin.numa) : std::to_string(bin.host);
}

/// True if one of the ranks is bound to that core.
bool has_core(std::span<const Location> ranks, const Location& place) {
  return std::ranges::any_of(ranks, [&](const Location& rank) {
    return rank.binding == Binding::core && rank.host == place.host && rank.numa == place.numa &&
           rank.core == place.core;
  });
}

}  // namespace

std::string name_of(Objective objective) {
  return objective_names[static_cast<std::size_t>(objective)];
}

double time_that_counts(const PlaceStudy& study, double own_s,
                        const std::map<std::string, double>& metrics) {
  if (study.jobs == WhoseTime::own) return own_s;
  return metrics.at(study.jobs == WhoseTime::slowest ? "slowest_job_s" : "mean_job_s");
}

bool goes_round(const Scenario& scenario) {
  const Job& job = scenario.job;
  const bool random = job.skew.count() > 0 || job.draws_times() || job.noise.has_stragglers() ||
                      std::ranges::any_of(scenario.library.transports, [](const Transport& way) {
                        return !way.jitter.is_zero();
                      });
  return turns(*job.algorithm) && !random;
}

StudyFile read_place_file(const std::string& name) {
  const bool path = is_path(name);
  const std::vector<std::string> studies =
      path ? std::vector<std::string>() : names_in("scenarios/studies");
  if (path ? Value::from_file(name).find("scenario") != nullptr
           : std::ranges::find(studies, name) != studies.end())
    return read_study_file(name);
  const Value word = typed("SCENARIO", name);
  StudyFile file{std::filesystem::path(name).stem().string(), Value::empty_map_at(word.place())};
  file.tree.set("scenario", word);
  return file;
}

PlaceStudy read_place(const StudyFile& file, const std::vector<Override>& overrides,
                      const Value& said, const std::string& only) {
  constexpr std::int64_t most_budget = 100'000'000;
  PlaceStudy study;
  study.name = file.name;
  study.scenario = read_own(file, overrides, only, study.tree);
  const Value* asked = file.tree.find("place");
  Value place = asked != nullptr && !asked->is_null() ? *asked : said;
  if (place.kind() != Value::Kind::map) place.fail("expected a map such as {slots: 4}");
  place.merge(said);
  refuse_unknown_keys(place, "place",
                      {"order", "slots", "taken", "whole_hosts", "budget", "seed", "objective",
                       "degrade", "jobs", "random", "groups", "move", "pin", "apart", "straggler"});
  Fields fields(place, "place");
  read_moved_ranks(fields, study);
  require_alike(study);
  study.slot_kind = slot_kind_of(study.first_moved());
  const std::vector<Value> group_orders = read_group_orders(fields, study);
  study.rules.slots = read_slots(fields, study);
  const bool whole = fills_hosts(study);
  read_order(fields, study, study.rules.apart.empty() && (whole || !group_orders.empty()));
  const bool default_whole = whole && study.rules.order == RankOrder::packed;
  study.rules.whole_hosts =
      fields.value_or("whole_hosts", default_whole ? "true" : "false").boolean();
  study.budget =
      static_cast<std::size_t>(fields.value_or("budget", "20000").integer(1, most_budget));
  study.seed = static_cast<std::uint64_t>(fields.value_or("seed", "1").integer(0, INT64_MAX));
  read_objective(fields, study);
  const Value& jobs = fields.value_or("jobs", "own");
  study.jobs = static_cast<WhoseTime>(jobs.one_of("time of jobs", jobs_names));
  if (study.jobs != WhoseTime::own && study.scenario.neighbours.empty())
    jobs.fail("'{}' is of several jobs, and the scenario has no neighbours", jobs.text());
  study.random = static_cast<std::size_t>(
      fields.value_or("random", "100").integer(0, static_cast<std::int64_t>(study.budget) + 1000));
  fields.finish();
  add_group_orders(study, group_orders);
  return study;
}

SymmetryRules symmetry_rules(const PlaceStudy& study) {
  const Location& rank = study.first_moved();
  const int store = study.scenario.storage.host;
  SymmetryRules rules;
  rules.slot_kind = study.slot_kind;
  std::vector<int> slow = study.scenario.job.noise.slow_hosts;
  slow.insert(slow.end(), study.slow_hosts.begin(), study.slow_hosts.end());
  for (std::size_t host = 0; host < study.rules.slots.size(); ++host) {
    const int number = static_cast<int>(host), stores = number == store;
    const int is_slow = std::ranges::find(slow, number) != slow.end();
    rules.marks.push_back(4 * study.rules.slots[host] + 2 * is_slow + stores);
  }
  // Memory that is not the rank's own, and a store, are in domains that are known by number.
  rules.inside_hosts = rank.memory.kind == MemoryPolicy::Kind::local && store < 0;
  rules.nics_by_number = rank.nics != NicChoice::nearest;
  rules.taken = study.others();
  return rules;
}

Placement placement_of(const PlaceStudy& study, View<const Bin> bins,
                       const Assignment& assignment) {
  const Location& like = study.first_moved();
  Placement placement = study.scenario.placement;
  placement.text = study.rules.order == RankOrder::packed
                       ? packed_text(bins, assignment)
                       : placed_text(study.scenario.cluster.topology, bins, assignment);
  const std::vector<Location> others = study.others();
  std::map<std::pair<int, int>, int> next;  // core of each host's domains, as ranks come to them
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    const Bin& bin = bins[assignment[i]];
    Location rank = like;
    rank.host = bin.host;
    rank.numa = bin.numa;
    rank.gpu = bin.gpu;
    rank.core = 0;
    if (like.binding == Binding::core) {
      int& core = next[{bin.host, bin.numa}];
      while (has_core(others, {.host = bin.host, .numa = bin.numa, .core = core})) ++core;
      rank.core = core++;
    }
    placement.ranks[study.moved[i]] = rank;
  }
  return placement;
}

std::optional<Assignment> own_assignment(const PlaceStudy& study, View<const Bin> bins) {
  Assignment assignment;
  const std::vector<Location> others = study.others();
  std::vector<std::array<int, 3>> cores;
  for (const int moved : study.moved) {
    const Location& rank = study.scenario.placement.ranks[moved];
    const auto bin = std::ranges::find_if(bins, [&](const Bin& one) {
      return one.host == rank.host && one.gpu == rank.gpu &&
             (study.slot_kind != SlotKind::core || one.numa == rank.numa);
    });
    if (bin == bins.end()) return {};
    assignment.push_back(static_cast<int>(bin - bins.begin()));
    cores.push_back({rank.host, rank.numa, rank.core});
  }
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    if (std::ranges::count(assignment, assignment[i]) > bins[assignment[i]].capacity) return {};
    const Location& rank = study.scenario.placement.ranks[study.moved[i]];
    const bool shared = std::ranges::count(cores, cores[i]) > 1 || has_core(others, rank);
    if (rank.binding == Binding::core && shared) return {};
  }
  return assignment;
}

std::string counts_of(const Placement& placement) {
  std::vector<int> counts, host_of_rank;
  for (const auto& [host, ranks] : placement.ranks_by_host()) counts.push_back(ranks);
  std::ranges::sort(counts, std::greater());
  for (std::size_t i = 0; i < counts.size(); ++i)
    std::fill_n(std::back_inserter(host_of_rank), counts[i], static_cast<int>(i));
  return counts_text(host_of_rank);
}

std::string placed_text(const Topology& topology, View<const Bin> bins,
                        const Assignment& assignment) {
  std::vector<int> host_of_rank;
  bool only_hosts = true, in_order = bins[assignment.front()].host == 0;
  std::string text;
  for (auto begin = assignment.begin(); begin != assignment.end();) {
    const auto end =
        std::find_if(begin, assignment.end(), [&](int index) { return index != *begin; });
    const std::string name = bin_text(topology, bins[*begin]);
    const int host = bins[*begin].host;
    only_hosts = only_hosts && name.find('.') == std::string::npos;
    in_order = in_order && (host_of_rank.empty() || host == host_of_rank.back() + 1);
    std::fill_n(std::back_inserter(host_of_rank), end - begin, host);
    text += text.empty() ? name : " " + name;
    if (end - begin > 1) text += fmt::format("x{}", end - begin);
    begin = end;
  }
  return only_hosts && in_order ? counts_text(host_of_rank) : text;
}

}  // namespace ringscope
