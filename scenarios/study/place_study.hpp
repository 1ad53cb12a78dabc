// SPDX-License-Identifier: LGPL-2.1-or-later
// A question about placements: which ones are allowed, and what is best.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/view.hpp"
#include "scenarios/study/study.hpp"
#include "topologies/placement/search/enumeration.hpp"

namespace ringscope {

/// time: of the job. Else the longest time with one fault, each in turn. worst_link: a cable that
/// the placement uses has a part of its bandwidth. worst_nic: the cable of a NIC. straggler: a host
/// computes at a part of its speed.
enum class Objective { time, worst_link, worst_nic, straggler };
std::string name_of(Objective objective);

/// Jobs whose time counts, where they share the cluster: the placed job; the longest of all; the
/// mean of all, of background jobs that of their rounds.
enum class WhoseTime { own, slowest, mean };

struct PlaceStudy {
  std::string name;
  Scenario scenario;  ///< as the user places it
  Value tree;         ///< source of the scenario
  SlotKind slot_kind = SlotKind::core;
  PlacementRules rules;    ///< of the ranks that move: their rank i is moved[i]
  Table<int> moved{};      ///< ranks that the search places, ascending; the others stay
  std::set<int> shared{};  ///< hosts with GPUs that jobs use which are not simulated
  std::size_t budget = 0;  ///< most placements tried one by one; beyond: a search
  std::uint64_t seed = 1;  ///< of the search
  Objective objective = Objective::time;
  WhoseTime jobs = WhoseTime::own;
  double degrade = 0.5;           ///< that part
  std::vector<int> slow_hosts{};  ///< which may be stragglers; empty: each that has ranks
  std::size_t random = 100;       ///< placements drawn as a baseline of a search; 0: no baseline
  std::string groups;             ///< order of the job's groups: "tp-dp-pp"; "": it has none
  /// The study under each order of the groups that is tried; empty: the scenario's own alone.
  std::vector<PlaceStudy> orders;

  bool moves_all() const { return moved.size() == scenario.placement.ranks.size(); }
  bool moves_freely() const { return moves_all() && rules.apart.empty(); }
  const Location& first_moved() const { return scenario.placement.ranks[moved.front()]; }
  /// Places that no rank gets: those of background jobs' ranks, and of ranks that stay.
  std::vector<Location> others() const;
  /// The study, or one for each order of its groups.
  std::span<const PlaceStudy> tried() const {
    return orders.empty() ? std::span(this, 1) : std::span(orders);
  }
  /// The study with the groups in that order, which is tried or the scenario's own.
  const PlaceStudy& under(const std::string& order) const;
};

/// The study that `name` means, or the scenario as a study; each by its name or its path.
StudyFile read_place_file(const std::string& name);

/// Reads the `scenario` of a study and its `place`, over which what was `said` on
/// the command line, a map, is laid. `only`: which of the scenario's cases, by its name or the
/// words that this ends with; "" where there is one. Throws InputError.
PlaceStudy read_place(const StudyFile& file, const std::vector<Override>& overrides,
                      const Value& said, const std::string& only = "");

/// True if the time does not depend on which rank of a circle is the first: a ring whose ranks all
/// do the same, and nothing random in it.
bool goes_round(const Scenario& scenario);

/// The time that counts, of the outcome of one run.
double time_that_counts(const PlaceStudy& study, double own_s,
                        const std::map<std::string, double>& metrics);

/// Rules by which two hosts of the study's machine can be alike.
SymmetryRules symmetry_rules(const PlaceStudy& study);

/// The ranks that move on the bins of an assignment: in each bin one core after the other; all else
/// as the user has it.
Placement placement_of(const PlaceStudy& study, View<const Bin> bins, const Assignment& assignment);

/// The user's own placement, of the ranks that move; none where it shares cores or GPUs.
std::optional<Assignment> own_assignment(const PlaceStudy& study, View<const Bin> bins);

/// "4-3-1" where the ranks follow each other on the first hosts; else host by host, in the order of
/// the ranks, "0x3 1x2 0 2x2": ranks 0 to 2 on host 0. "0.1" is a host and its NUMA domain, "0.g1"
/// a host and its GPU.
std::string placed_text(const Topology& topology, View<const Bin> bins,
                        const Assignment& assignment);

/// Ranks of each host that has any, the most first: "4-3-1".
std::string counts_of(const Placement& placement);

}  // namespace ringscope
