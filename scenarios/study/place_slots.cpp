// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/study/place_slots.hpp"

#include <algorithm>

#include "topologies/imports/schedulers/node_lists.hpp"
#include "topologies/placement/hostfile.hpp"

namespace ringscope {

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

}  // namespace ringscope
