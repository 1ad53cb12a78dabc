// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/study/place_slots.hpp"

#include <algorithm>

#include "scenarios/question/neighbours.hpp"
#include "topologies/placement/hostfile.hpp"

namespace ringscope {
namespace {

/// `[host3, host4]`, or a hostfile that names them.
std::vector<int> read_taken(const Value& taken, const Topology& topology) {
  std::vector<int> hosts;
  if (taken.kind() == Value::Kind::scalar) {
    for (const HostSlots& host : read_hostfile(taken, topology)) hosts.push_back(host.host);
    return hosts;
  }
  if (taken.kind() != Value::Kind::list)
    taken.fail("expected a list of hosts such as [host3, host4], or a hostfile that names them");
  for (const Value& host : taken.items())
    hosts.push_back(host_of(topology, host.text(), host.place()));
  return hosts;
}

}  // namespace

std::vector<int> read_slots(Fields& fields, const PlaceStudy& study) {
  constexpr int most_slots = 1 << 20;
  const Topology& topology = study.scenario.cluster.topology;
  const std::vector<Location> others = places_of(study.scenario.neighbours);
  Table<int> slots(topology.hosts().size()), there(slots.size());
  for (const Location& rank : others)
    if (study.slot_kind != SlotKind::gpu || rank.gpu >= 0) ++there[rank.host];
  for (const Bin& bin : bins_of(topology, study.slot_kind, others)) slots[bin.host] += bin.capacity;
  const Value* most = fields.optional("slots");
  for (std::size_t host = 0; host < slots.size(); ++host) {
    if (study.slot_kind != SlotKind::gpu)
      slots[host] = std::min(slots[host], cores_of(topology, static_cast<int>(host)) - there[host]);
    if (most != nullptr)
      slots[host] =
          std::min(slots[host], static_cast<int>(most->integer(1, most_slots)) - there[host]);
    slots[host] = std::max(0, slots[host]);
  }
  if (const Value* taken = fields.optional("taken")) {
    for (const int host : read_taken(*taken, topology)) slots[host] = 0;
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
