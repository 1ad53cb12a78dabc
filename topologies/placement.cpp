#include "topologies/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "topologies/hostfile.hpp"

namespace ringscope {
namespace {

constexpr int most_ranks = 1 << 20;

enum class MapBy { slot, node, numa };
// MPI's words for the last two of them follow.
const std::string binding_names[] = {"core", "numa", "host", "socket", "none"};
constexpr Binding bindings[] = {Binding::core, Binding::numa, Binding::host, Binding::numa,
                                Binding::host};
const std::string map_by_names[] = {"slot", "node", "numa"};

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return {};
  return number;
}

/// "4-3-1" or "4x64-1" as slots of the hosts, in the topology's order.
std::vector<HostSlots> read_counts(const Value& value, const Topology& topology) {
  const int hosts = static_cast<int>(topology.hosts().size());
  const std::string text = value.text();
  const auto refuse = [&] {
    value.fail(fmt::format("expected ranks per host such as \"4-3-1\", got \"{}\"{}",
                           text.substr(0, 60), text.size() > 60 ? "..." : ""));
  };
  std::vector<HostSlots> result;
  std::int64_t ranks = 0;
  for (std::string_view rest = text; true;) {
    const auto dash = rest.find('-');
    const std::string_view part = rest.substr(0, dash);
    const auto x = part.find('x');
    const auto count = whole_number(part.substr(0, x));
    const auto times = x == std::string_view::npos ? 1 : whole_number(part.substr(x + 1));
    if (!count || !times || *times < 1) refuse();
    if (*times > hosts - static_cast<int>(result.size()))
      value.fail(fmt::format("the placement names more hosts than the cluster's {}", hosts));
    for (int i = 0; i < *times; ++i) result.push_back({static_cast<int>(result.size()), *count});
    ranks += std::int64_t{*count} * *times;
    if (ranks > most_ranks) value.fail(fmt::format("more than {} ranks", most_ranks));
    if (dash == std::string_view::npos) break;
    rest.remove_prefix(dash + 1);
  }
  if (ranks == 0) value.fail("the placement has no rank");
  return result;
}

/// How many of `ranks` each host gets when they fill its slots: one host after the other, or one
/// rank each in turn. Ranks beyond the slots go round again.
std::vector<HostSlots> fill(const std::vector<HostSlots>& hosts, int ranks, MapBy map_by) {
  const int at_once = map_by == MapBy::node ? 1 : most_ranks;
  std::vector<HostSlots> result = hosts;
  for (HostSlots& host : result) host.slots = 0;
  std::vector<std::size_t> open;  // the hosts with room left in this round
  std::vector<int> room;
  while (ranks > 0) {
    if (open.empty()) {
      room.clear();
      for (const HostSlots& host : hosts) room.push_back(host.slots);
      open.resize(hosts.size());
      std::iota(open.begin(), open.end(), std::size_t{0});
    }
    for (const std::size_t i : open) {
      const int taken = std::min({ranks, room[i], at_once});
      result[i].slots += taken;
      room[i] -= taken;
      ranks -= taken;
    }
    std::erase_if(open, [&](std::size_t i) { return room[i] == 0; });
  }
  return result;
}

/// The host of each rank, each host with as many ranks as slots.
std::vector<int> host_of_each_rank(const std::vector<HostSlots>& hosts, MapBy map_by) {
  std::vector<int> result;
  if (map_by != MapBy::node) {
    for (const HostSlots& host : hosts)
      result.insert(result.end(), static_cast<std::size_t>(host.slots), host.host);
    return result;
  }
  std::vector<HostSlots> left = hosts;
  while (!left.empty()) {
    std::erase_if(left, [](const HostSlots& host) { return host.slots == 0; });
    for (HostSlots& host : left) {
      result.push_back(host.host);
      --host.slots;
    }
  }
  return result;
}

/// The cores of a host in the order in which ranks take them.
std::vector<Location> cores_in_order(const Topology& topology, int host, MapBy map_by) {
  std::vector<Location> cores;
  const auto& domains = topology.hosts()[static_cast<std::size_t>(host)].numa_domains;
  for (std::size_t numa = 0; numa < domains.size(); ++numa) {
    for (int core = 0; core < topology.graph()[domains[numa]].cores; ++core)
      cores.push_back({host, static_cast<int>(numa), core, Binding::core});
  }
  if (map_by == MapBy::numa) std::ranges::stable_sort(cores, {}, &Location::core);
  return cores;
}

struct Rules {
  MapBy map_by = MapBy::slot;
  Binding binding = Binding::core;
  bool oversubscribe = false;
};

Rules read_rules(Fields& fields) {
  Rules rules;
  rules.map_by =
      static_cast<MapBy>(fields.value_or("map_by", "slot").one_of("mapping", map_by_names));
  rules.binding = bindings[fields.value_or("bind", "core").one_of("binding", binding_names)];
  rules.oversubscribe = fields.value_or("oversubscribe", "false").boolean();
  return rules;
}

/// How many ranks each host has, in the order of hosts: "4-3-1", "1x64" for more than three alike.
std::string counts_text(const std::vector<Location>& ranks) {
  std::vector<int> counts;
  for (const Location& rank : ranks) {
    if (counts.size() <= static_cast<std::size_t>(rank.host))
      counts.resize(static_cast<std::size_t>(rank.host) + 1);
    ++counts[static_cast<std::size_t>(rank.host)];
  }
  std::string text;
  for (auto begin = counts.begin(); begin != counts.end();) {
    auto end = std::find_if(begin, counts.end(), [&](int count) { return count != *begin; });
    if (end - begin <= 3) end = begin + 1;
    text += text.empty() ? "" : "-";
    text += end - begin > 1 ? fmt::format("{}x{}", *begin, end - begin) : std::to_string(*begin);
    begin = end;
  }
  return text;
}

Placement place(const std::vector<HostSlots>& hosts, const Rules& rules, const Value& origin,
                const Topology& topology) {
  const auto host_of_rank = host_of_each_rank(hosts, rules.map_by);
  std::vector<std::vector<Location>> cores(topology.hosts().size());
  std::vector<std::size_t> taken(topology.hosts().size());
  for (const HostSlots& slots : hosts) {
    const int available = cores_of(topology, slots.host);
    if (slots.slots > available && !rules.oversubscribe)
      origin.fail(
          fmt::format("{} ranks on '{}', which has {} core{}; say 'oversubscribe: true' "
                      "to let them share",
                      slots.slots, topology.hosts()[static_cast<std::size_t>(slots.host)].name,
                      available, available == 1 ? "" : "s"));
    cores[static_cast<std::size_t>(slots.host)] =
        cores_in_order(topology, slots.host, rules.map_by);
  }
  Placement placement;
  for (const int host : host_of_rank) {
    const auto index = static_cast<std::size_t>(host);
    placement.ranks.push_back(cores[index][taken[index]++ % cores[index].size()]);
    placement.ranks.back().binding = rules.binding;
  }
  placement.text = counts_text(placement.ranks);
  if (rules.map_by != MapBy::slot)
    placement.text += " by " + map_by_names[static_cast<std::size_t>(rules.map_by)];
  if (rules.binding != Binding::core)
    placement.text += " on " + binding_names[static_cast<std::size_t>(rules.binding)];
  return placement;
}

Placement read_map(const Value& value, const Topology& topology) {
  Fields fields(value, "placement");
  if (!fields.has("hostfile")) {
    const Value& counts = fields.required("hosts");
    const Rules rules = read_rules(fields);
    fields.finish();
    return place(read_counts(counts, topology), rules, counts, topology);
  }
  const Value& file = fields.required("hostfile");
  if (fields.has("hosts")) file.fail("'hosts' and 'hostfile' exclude each other");
  const auto hosts = read_hostfile(file, topology);
  int slots = 0;
  for (const HostSlots& host : hosts) slots = std::min(most_ranks, slots + host.slots);
  const Value& number = fields.value_or("ranks", std::to_string(slots));
  const int ranks = static_cast<int>(number.integer(1, most_ranks));
  const Rules rules = read_rules(fields);
  fields.finish();
  if (ranks > slots && !rules.oversubscribe)
    number.fail(
        fmt::format("{} ranks, but the hostfile has {} slot{}; say 'oversubscribe: true' "
                    "to let them share",
                    ranks, slots, slots == 1 ? "" : "s"));
  return place(fill(hosts, ranks, rules.map_by), rules, number, topology);
}

Location read_location(const Value& value, int rank, const Topology& topology) {
  Fields fields(value, fmt::format("placement[{}]", rank));
  const Value& host = fields.required("host");
  const auto hosts = topology.hosts();
  Location location;
  location.host = whole_number(host.text())
                      ? static_cast<int>(host.integer(0, static_cast<int>(hosts.size()) - 1))
                      : host_of(topology, host.text(), host.place());
  const auto& domains = hosts[static_cast<std::size_t>(location.host)].numa_domains;
  const Value* numa = fields.optional("numa");
  const Value* core = fields.optional("core");
  fields.finish();
  if (numa)
    location.numa = static_cast<int>(numa->integer(0, static_cast<int>(domains.size()) - 1));
  const Vertex domain = domains[static_cast<std::size_t>(location.numa)];
  if (core) location.core = static_cast<int>(core->integer(0, topology.graph()[domain].cores - 1));
  location.binding = core ? Binding::core : numa ? Binding::numa : Binding::host;
  return location;
}

}  // namespace

Placement read_placement(const Value& value, const Topology& topology) {
  if (value.kind() == Value::Kind::map) return read_map(value, topology);
  if (value.kind() == Value::Kind::scalar)
    return place(read_counts(value, topology), {}, value, topology);
  if (value.kind() != Value::Kind::list || value.items().empty())
    value.fail("expected a placement such as 4-3-1, a map, or a list of one entry per rank");
  Placement placement;
  for (const Value& item : value.items())
    placement.ranks.push_back(
        read_location(item, static_cast<int>(placement.ranks.size()), topology));
  placement.text = counts_text(placement.ranks) + " listed";
  return placement;
}

}  // namespace ringscope
