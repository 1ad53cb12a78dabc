// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/table.hpp"
#include "topologies/placement/places.hpp"

namespace ringscope {
namespace {

// MPI's words for the last two of them follow, and for the last mapping.
const Array<std::string, 5> binding_names = {"core", "numa", "host", "socket", "none"};
constexpr Binding bindings[] = {Binding::core, Binding::numa, Binding::host, Binding::numa,
                                Binding::host};
const Array<std::string, 4> map_by_names = {"slot", "node", "numa", "socket"};
constexpr MapBy mappings[] = {MapBy::slot, MapBy::node, MapBy::numa, MapBy::numa};
const std::string slot_names[] = {"core", "gpu"};

struct Rules {
  MapBy map_by = MapBy::slot;
  Binding binding = Binding::core;
  bool on_gpus = false;
  bool oversubscribe = false;
};

/// `mapped`: the hosts of the ranks are not given.
Rules read_rules(Fields& fields, bool mapped = true) {
  Rules rules;
  if (mapped)
    rules.map_by = mappings[fields.value_or("map_by", "slot").one_of("mapping", map_by_names)];
  rules.binding = bindings[fields.value_or("bind", "core").one_of("binding", binding_names)];
  rules.on_gpus = fields.value_or("on", "core").one_of("slot", slot_names) == 1;
  rules.oversubscribe = fields.value_or("oversubscribe", "false").boolean();
  return rules;
}

/// All keys are known by now but those of read_buffers(), which comes when there are ranks.
void finish_before_buffers(Fields& fields) {
  for (const char* key : {"memory", "nics"}) fields.optional(key);
  fields.finish();
}

/// Words for who wrote "64x1" and may have meant 64 hosts: "; ...", or nothing.
std::string other_order(const Value& origin, int ranks) {
  if (origin.kind() != Value::Kind::scalar) return "";
  const std::string& text = origin.scalar();
  const std::string each = std::to_string(ranks);
  if (!text.starts_with(each + 'x') || text.find_first_of("-+,") != std::string::npos) return "";
  const std::string hosts = text.substr(each.size() + 1);
  return fmt::format("; '{}' is {} ranks on each of {}: the other way round it is '{}x{}'", text,
                     each, hosts, hosts, each);
}

/// Throws at `origin` when the host has fewer of what the ranks sit on, `taken` of them by others.
void require_slots(int ranks, int there, int taken, std::string_view noun, const Rules& rules,
                   const std::string& host, const Value& origin) {
  if (there == 0 && ranks > 0) origin.fail("'{}' has no {}", host, noun);
  if (ranks <= there - taken || rules.oversubscribe) return;
  const std::string others =
      taken == 0 ? ""
                 : fmt::format(", {} of {} taken by other jobs", taken, there == 1 ? "it" : "them");
  origin.fail(
      "{} ranks on '{}', which has {} {}{}{}; set 'oversubscribe: true' to let them share{}", ranks,
      host, there, noun, there == 1 ? "" : "s", others, other_order(origin, ranks));
}

std::string rules_text(const Rules& rules) {
  std::string text;
  if (rules.map_by != MapBy::slot) text += " by " + map_by_names[rules.map_by];
  if (rules.on_gpus) text += " on gpu";
  if (rules.binding != Binding::core)
    text += (rules.on_gpus ? ", bound to " : " on ") + binding_names[rules.binding];
  return text;
}

/// Places of a host's ranks, in their order. Where other jobs have taken all of it and the rules
/// let ranks share, they share with those.
std::vector<Location> places_on(const HostSlots& slots, const Rules& rules, const Value& origin,
                                const Topology& topology, const Taken& taken) {
  const Host& host = topology.hosts()[slots.host];
  std::vector<Location> all = rules.on_gpus ? gpus_in_order(topology, slots.host, rules.map_by)
                                            : cores_in_order(topology, slots.host, rules.map_by);
  std::vector<Location> free = all;
  if (rules.on_gpus || rules.binding == Binding::core)
    std::erase_if(free, [&](const Location& place) { return taken.has(place); });
  const auto gone = static_cast<int>(all.size() - free.size());
  require_slots(slots.slots, cores_of(topology, slots.host), rules.on_gpus ? 0 : gone, "core",
                rules, host.name, origin);
  if (rules.on_gpus)
    require_slots(slots.slots, static_cast<int>(host.gpus.size()), gone, "GPU", rules, host.name,
                  origin);
  return free.empty() ? all : free;
}

Placement place(const std::vector<HostSlots>& hosts, const Rules& rules, const Value& origin,
                const Topology& topology, const Taken& taken) {
  Table<std::vector<Location>> places(topology.hosts().size());
  Table<std::size_t> used(topology.hosts().size());
  std::map<int, int> ranks_of;  // a host may come several times
  for (const HostSlots& slots : hosts) ranks_of[slots.host] += slots.slots;
  for (const auto& [host, ranks] : ranks_of)
    places[host] = places_on({host, ranks}, rules, origin, topology, taken);
  const auto host_of_rank = host_of_each_rank(hosts, rules.map_by);
  Placement placement;
  std::set<Core> cores = taken.cores;
  for (const int host : host_of_rank) {
    Location rank = places[host][used[host]++ % places[host].size()];
    rank.binding = rules.binding;
    // Ranks on GPUs are counted by GPU, not by the core beside it.
    if (rules.on_gpus && taken.cores.contains({rank.host, rank.numa, rank.core}))
      avoid(rank, cores, topology);
    if (!taken.cores.empty()) cores.insert({rank.host, rank.numa, rank.core});
    placement.ranks.push_back(rank);
  }
  placement.text = counts_text(host_of_rank) + rules_text(rules);
  return placement;
}

/// The rest of a map: its rules, and what its ranks have in common beyond them.
Placement place(const std::vector<HostSlots>& hosts, const Rules& rules, const Value& origin,
                Fields& fields, const Topology& topology, const Taken& taken) {
  Placement placement = place(hosts, rules, origin, topology, taken);
  read_buffers(fields, placement.ranks, topology);
  placement.text += buffers_text(placement.ranks.front(), topology);
  return placement;
}

Placement read_hostfile_map(Fields& fields, const Topology& topology, const Taken& taken) {
  const Value& file = fields.required("hostfile");
  if (fields.has("hosts")) file.fail("'hosts' and 'hostfile' exclude each other");
  const auto hosts = read_hostfile(file, topology);
  int slots = 0;
  for (const HostSlots& host : hosts) slots = std::min(most_ranks, slots + host.slots);
  const Value& number = fields.value_or("ranks", std::to_string(slots));
  const int ranks = static_cast<int>(number.integer(1, most_ranks));
  const Rules rules = read_rules(fields);
  finish_before_buffers(fields);
  if (ranks > slots && !rules.oversubscribe)
    number.fail(
        "{} ranks, but the hostfile has {} slot{}; set 'oversubscribe: true' to let them share",
        ranks, slots, slots == 1 ? "" : "s");
  return place(fill(hosts, ranks, rules.map_by), rules, number, fields, topology, taken);
}

std::vector<HostSlots> read_hosts(const Value& value, const Topology& topology) {
  return is_host_list(value, topology) ? read_host_list(value, topology)
                                       : read_counts(value, topology);
}

/// Tasks of TensorFlow, each with its host: from a file, or as they stand in the environment.
Placement read_tf_map(Fields& fields, const Topology& topology, const Taken& taken) {
  const Value& file = fields.required("tf_config");
  Rules rules = read_rules(fields, false);
  finish_before_buffers(fields);
  const Value config = file.kind() == Value::Kind::scalar
                           ? Value::from_file(path_from(file.place(), file.text()))
                           : file;
  return place(read_tf_config(config, topology), rules, file, fields, topology, taken);
}

Placement read_pinned_map(Fields& fields, const Topology& topology) {
  const Value& file = fields.required("pinning");
  finish_before_buffers(fields);
  Placement placement;
  placement.ranks = read_pinning(file, topology);
  read_buffers(fields, placement.ranks, topology);
  placement.text = counts_text(each_of(placement.ranks, &Location::host)) + " listed" +
                   buffers_text(placement.ranks.front(), topology);
  return placement;
}

Placement read_map(const Value& value, const Topology& topology, const Taken& taken) {
  Fields fields(value, "placement");
  if (fields.has("hostfile")) return read_hostfile_map(fields, topology, taken);
  if (fields.has("tf_config")) return read_tf_map(fields, topology, taken);
  if (fields.has("pinning")) return read_pinned_map(fields, topology);
  if (fields.has("cluster"))
    return place(read_tf_config(value, topology), {}, value, topology, taken);
  const Value& counts = fields.required("hosts");
  const Rules rules = read_rules(fields);
  finish_before_buffers(fields);
  return place(read_hosts(counts, topology), rules, counts, fields, topology, taken);
}

Location read_location(const Value& value, int rank, const Topology& topology) {
  Fields fields(value, fmt::format("placement[{}]", rank));
  const Value& name = fields.required("host");
  const auto hosts = topology.hosts();
  Location location;
  location.host = whole_number(name.text())
                      ? static_cast<int>(name.integer(0, static_cast<int>(hosts.size()) - 1))
                      : host_of(topology, name.text(), name.place());
  const Host& host = hosts[location.host];
  const auto index_of = [](const Value& index, std::int64_t count) {
    return static_cast<int>(index.integer(0, count - 1));
  };
  const Value* numa = fields.optional("numa");
  const Value* core = fields.optional("core");
  const Value* gpu = fields.optional("gpu");
  read_buffers(fields, {&location, 1}, topology);
  fields.finish();
  if (gpu && host.gpus.empty()) gpu->fail("'{}' has no GPU", host.name);
  if (gpu) location.gpu = index_of(*gpu, std::ssize(host.gpus));
  if (gpu) location.numa = domain_near(topology, host, location.gpu);
  if (numa) location.numa = index_of(*numa, std::ssize(host.numa_domains));
  const Vertex domain = host.numa_domains[location.numa];
  if (core) location.core = index_of(*core, topology.graph()[domain].cores);
  location.binding = core ? Binding::core : numa || gpu ? Binding::numa : Binding::host;
  return location;
}

/// Ranks in groups, each placed by its own map, on cores that the groups before have left.
Placement read_groups(const Value& value, const Topology& topology, const Taken& others) {
  Placement all;
  std::set<Core> taken = others.cores;
  for (const Value& item : value.items()) {
    Placement group = read_map(item, topology, others);
    all.text += (all.text.empty() ? "" : " and ") + group.text;
    const std::set<Core> before = taken;
    for (Location& rank : group.ranks) {
      // Inside a group ranks share cores only where the group says so.
      if (before.contains({rank.host, rank.numa, rank.core})) avoid(rank, taken, topology);
      taken.insert({rank.host, rank.numa, rank.core});
      all.ranks.push_back(rank);
    }
  }
  return all;
}

bool is_group(const Value& item) {
  return item.kind() == Value::Kind::map &&
         (item.find("hosts") || item.find("hostfile") || item.find("tf_config"));
}

/// Throws where each entry is a number: somebody meant the counts of hosts.
void refuse_counts(const Value& list) {
  std::string counts;
  for (const Value& item : list.items()) {
    if (item.kind() != Value::Kind::scalar || !whole_number(item.scalar())) return;
    counts += (counts.empty() ? "" : "-") + item.scalar();
  }
  list.fail(
      "expected a map for each rank such as {{host: 0, core: 2}}, got numbers; did you mean ranks "
      "per host, {}?",
      counts);
}

Placement read_list(const Value& value, const Topology& topology) {
  refuse_counts(value);
  Placement placement;
  for (const Value& item : value.items())
    placement.ranks.push_back(
        read_location(item, static_cast<int>(placement.ranks.size()), topology));
  placement.text = counts_text(each_of(placement.ranks, &Location::host)) + " listed";
  // Properties that only some of the ranks have are in the list, and too long for its name.
  const Location& first = placement.ranks.front();
  if (std::ranges::all_of(placement.ranks, [](const Location& rank) { return rank.gpu >= 0; }))
    placement.text += " on gpu";
  if (std::ranges::all_of(placement.ranks, [&first](const Location& rank) {
        return rank.memory == first.memory && rank.nics == first.nics && rank.nic == first.nic;
      }))
    placement.text += buffers_text(first, topology);
  return placement;
}

}  // namespace

std::vector<Vertex> named_nics(const Topology& topology, const Location& from, const Location& to) {
  if (from.host == to.host || std::max(from.nic, to.nic) < 0) return {};
  const auto nics_of = [&](const Location& where) -> const Table<Vertex>& {
    return topology.hosts()[where.host].nics;
  };
  if (nics_of(from).empty() || nics_of(to).empty()) return {};
  const auto nic_of = [&](const Location& here, const Location& there) {
    const auto& nics = nics_of(here);
    return nics[(here.nic < 0 ? there.nic : here.nic) % std::ssize(nics)];
  };
  return {nic_of(from, to), nic_of(to, from)};
}

Placement read_placement(const Value& value, const Topology& topology,
                         std::span<const Location> taken) {
  const Taken others(taken);
  if (value.kind() == Value::Kind::map) return read_map(value, topology, others);
  if (value.kind() == Value::Kind::scalar)
    return place(read_hosts(value, topology), {}, value, topology, others);
  const std::vector<Value>& items =
      value.listed("a placement such as 4-3-1, a map, or a list of one entry per rank");
  return is_group(items.front()) ? read_groups(value, topology, others)
                                 : read_list(value, topology);
}

}  // namespace ringscope
