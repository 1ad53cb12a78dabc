// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/study/place_study.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "scenarios/question/scenario_tree.hpp"
#include "topologies/imports/schedulers/node_lists.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/placement/hostfile.hpp"

namespace ringscope {
namespace {

constexpr const char* known_words =
    "ranks such as 3,5-7, servers, workers, or a group such as pp=2";

using Chosen = std::function<bool(int rank)>;

/// Parameter servers are the last ranks.
Chosen chosen_role(const Value& value, const Scenario& scenario, bool servers) {
  const Algorithm& algorithm = *scenario.job.algorithm;
  if (std::ranges::find(algorithm.options, "servers") == algorithm.options.end())
    value.fail("the {} {} has no parameter servers", algorithm.collective, algorithm.name);
  const auto first = std::ssize(scenario.placement.ranks) - scenario.job.options.servers;
  return [=](int rank) { return (rank >= first) == servers; };
}

/// Ranks whose index along one kind of groups is that number: "pp=2" is a stage of a pipeline.
Chosen chosen_group(const Value& value, const Scenario& scenario, const std::string& kind,
                    const std::string& index) {
  const Grid* grid = groups_of(scenario.job);
  if (grid == nullptr)
    value.fail("the {} {} has no groups such as '{}'", scenario.job.algorithm->collective,
               scenario.job.algorithm->name, kind);
  const std::vector<std::string> kinds = each_of(grid->dimensions(), &Dimension::name);
  if (std::ranges::find(kinds, kind) == kinds.end())
    value.fail(unknown_name("kind of groups", kind, kinds));
  const auto number = Value::scalar_at(value.place(), index).integer(0, grid->size(kind) - 1);
  return [=](int rank) { return grid->index(rank, kind) == number; };
}

Chosen chosen_by(const Value& value, const Scenario& scenario, const std::string& word) {
  if (word == "servers" || word == "workers")
    return chosen_role(value, scenario, word == "servers");
  if (const auto equals = word.find('='); equals != std::string::npos)
    return chosen_group(value, scenario, word.substr(0, equals), word.substr(equals + 1));
  const auto dash = word.find('-');
  const auto first = whole_number(word.substr(0, dash));
  const auto last = dash == std::string::npos ? first : whole_number(word.substr(dash + 1));
  if (!first || !last || *first > *last) value.fail("expected {}, got '{}'", known_words, word);
  const auto all = std::ssize(scenario.placement.ranks);
  if (*last >= all) value.fail("rank {} of '{}': the job has ranks 0 to {}", *last, word, all - 1);
  return [=](int rank) { return rank >= *first && rank <= *last; };
}

/// Ranks by a text or a list: "3,5-7" or [3, 5-7].
std::set<int> read_ranks(const Value& value, const Scenario& scenario) {
  std::set<int> all;
  if (value.kind() == Value::Kind::list)
    for (const Value& item : value.items()) all.merge(read_ranks(item, scenario));
  else
    for (const std::string text = value.text(); const std::string_view word : split(text, ',')) {
      const Chosen chosen = chosen_by(value, scenario, std::string(word));
      for (int rank = 0; rank < std::ssize(scenario.placement.ranks); ++rank)
        if (chosen(rank)) all.insert(rank);
    }
  if (all.empty()) value.fail("expected {}, got none", known_words);
  return all;
}

/// Those that move by their indices in `moved`; of those that stay their hosts.
void read_apart(const Value& value, PlaceStudy& study) {
  std::map<int, int> staying;  // by host
  for (const int rank : read_ranks(value, study.scenario)) {
    const auto found = std::ranges::find(study.moved, rank);
    if (found != study.moved.end()) {
      study.rules.apart.insert(static_cast<int>(found - study.moved.begin()));
      continue;
    }
    const int host = study.scenario.placement.ranks[rank].host;
    const auto [other, is_new] = staying.try_emplace(host, rank);
    if (!is_new)
      value.fail("ranks {} and {} shall be apart, and both stay on {}", other->second, rank,
                 study.scenario.cluster.topology.hosts()[host].name);
    study.rules.closed.insert(host);
  }
}

}  // namespace

std::vector<int> read_slots(Fields& fields, PlaceStudy& study) {
  constexpr int most_slots = 1 << 20;
  const Topology& topology = study.scenario.cluster.topology;
  const std::vector<Location> others = study.others();
  Table<int> slots(topology.hosts().size()), there(slots.size());
  for (const Location& rank : others)
    if (study.slot_kind != SlotKind::gpu || rank.gpu >= 0) ++there[rank.host];
  for (const Bin& bin : bins_of(topology, study.slot_kind, others)) slots[bin.host] += bin.capacity;
  const Value* most = fields.optional("slots");
  for (std::size_t host = 0; host < slots.size(); ++host) {
    if (study.slot_kind != SlotKind::gpu)
      slots[host] = std::min(slots[host], cores_of(topology, static_cast<int>(host)) - there[host]);
    if (most != nullptr)
      slots[host] = std::min(slots[host], most->whole(1, most_slots) - there[host]);
    slots[host] = std::max(0, slots[host]);
  }
  if (const Value* taken = fields.optional("taken")) {
    for (const FreeSlots& free : read_free_slots(*taken, topology)) {
      const int here = free.slots(study.slot_kind == SlotKind::gpu);
      if (here > 0 && free.gpus < std::ssize(topology.hosts()[free.host].gpus))
        study.shared.insert(free.host);
      slots[free.host] = std::min(slots[free.host], here);
    }
  }
  return slots;
}

bool fills_hosts(const PlaceStudy& study) {
  if (study.slot_kind != SlotKind::gpu) return false;
  const Table<Host>& hosts = study.scenario.cluster.topology.hosts();
  Table<int> ranks(hosts.size());
  for (const Location& rank : study.scenario.placement.ranks) ++ranks[rank.host];
  for (std::size_t host = 0; host < hosts.size(); ++host)
    for (const int count : {ranks[host], study.rules.slots[host]})
      if (count != 0 && count != std::ssize(hosts[host].gpus)) return false;
  return true;
}

std::vector<Location> PlaceStudy::others() const {
  std::vector<Location> others = places_of(scenario.neighbours);
  for (int rank = 0; rank < std::ssize(scenario.placement.ranks); ++rank)
    if (!std::ranges::binary_search(moved, rank)) others.push_back(scenario.placement.ranks[rank]);
  return others;
}

void read_moved_ranks(Fields& place, PlaceStudy& study) {
  const Value *move = place.optional("move"), *pin = place.optional("pin");
  std::set<int> moved, pinned;
  if (move != nullptr)
    moved = read_ranks(*move, study.scenario);
  else
    for (int rank = 0; rank < std::ssize(study.scenario.placement.ranks); ++rank)
      moved.insert(rank);
  if (pin != nullptr) pinned = read_ranks(*pin, study.scenario);
  std::ranges::set_difference(moved, pinned, std::back_inserter(study.moved));
  if (study.moved.empty()) pin->fail("all ranks stay where they are: none is left to move");
  study.rules.ranks = static_cast<int>(study.moved.size());
  if (const Value* apart = place.optional("apart")) read_apart(*apart, study);
}

}  // namespace ringscope
