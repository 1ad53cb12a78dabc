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

#include "algorithms/steps/grid.hpp"
#include "base/table.hpp"
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

// Orders in which the groups of a job are nested: which of its ranks are neighbours.

/// The job's groups; null: it has none.
const Grid* groups_of(const Job& job);

/// "tp-dp-pp", innermost first. Requires groups by an order.
std::string order_of(const Grid& grid);

/// The grid in each order of the kinds that have several ranks; the others stay where they are, and
/// the grid itself comes first. Requires groups by an order.
std::vector<Grid> nestings(const Grid& grid);

/// The same job on the same bins: its ranks, which `from` numbers, numbered as `to` does. Requires
/// grids that differ in their order alone.
Assignment renumbered(const Assignment& assignment, const Grid& from, const Grid& to);

/// Words for packed placements: "4-3-1" on the first hosts in their order; else the ranks of each
/// host, one after the other: "1x4 0x3".
std::string packed_text(View<const Bin> bins, const Assignment& assignment);

/// Reads `groups` of the map `place`: the orders to be tried, and in `study` the scenario's own.
/// Nothing where that one alone is tried. Throws InputError.
std::vector<Value> read_group_orders(Fields& place, PlaceStudy& study);

/// Adds to the study, whose rules are read, itself under each of these orders. Throws InputError.
void add_group_orders(PlaceStudy& study, const std::vector<Value>& orders);

// Slots that `place` may use.

/// Slots of each host beside background jobs, from the keys `slots` and `taken`; 0 on taken hosts.
/// The default is all cores or GPUs. Enters hosts in `study.shared`.
std::vector<int> read_slots(Fields& fields, PlaceStudy& study);

/// True if the user's ranks take all GPUs of each host that they use, and each free host has a slot
/// on each of its GPUs.
bool fills_hosts(const PlaceStudy& study);

// Parts of a job that `place` moves, and ranks that must be on different hosts.

/// Reads `move`, `pin` and `apart` of the map `place`: `study.moved`, and in the rules `ranks`,
/// `apart` and `closed`. All ranks move by default. Throws InputError.
void read_moved_ranks(Fields& place, PlaceStudy& study);

}  // namespace ringscope
