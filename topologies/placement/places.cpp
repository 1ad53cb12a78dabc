// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "topologies/graph/topology.hpp"

namespace ringscope {
namespace {

const std::string memory_names[] = {"local", "interleave", "bind"};

/// `domains`: how many the rank's host has.
MemoryPolicy read_memory(const Value& value, int domains) {
  using Kind = MemoryPolicy::Kind;
  if (value.kind() == Value::Kind::map) {
    Fields fields(value, "memory");
    const Value& domain = fields.required("bind");
    fields.finish();
    return {Kind::bind, static_cast<int>(domain.integer(0, domains - 1))};
  }
  const std::size_t policy = value.one_of("memory policy", memory_names);
  if (policy == 2) value.fail("expected the domain to bind to too, as in {bind: 0}");
  return {policy == 0 ? Kind::local : Kind::interleave, 0};
}

/// `nearest`, `all`, a NIC's name, or a list of one name or index.
void read_nics(const Value& value, const Topology& topology, const Host& host, Location& rank) {
  const bool listed = value.kind() == Value::Kind::list;
  std::vector<std::string> words;
  if (!listed) words = {"nearest", "all"};
  for (const Vertex nic : host.nics) words.push_back(nic_name(topology, nic));
  if (!listed) {
    const std::size_t word = value.one_of("choice of NICs", words);
    rank.nics = static_cast<NicChoice>(std::min<std::size_t>(word, 2));
    if (word >= 2) rank.nic = static_cast<int>(word) - 2;
    return;
  }
  if (value.items().size() != 1)
    value.fail("expected the index or the name of one NIC such as [1]");
  if (host.nics.empty()) value.fail("'{}' has no NIC", host.name);
  const Value& nic = value.items().front();
  rank.nics = NicChoice::named;
  rank.nic = static_cast<int>(whole_number(nic.text())
                                  ? nic.integer(0, std::ssize(host.nics) - 1)
                                  : static_cast<std::int64_t>(nic.one_of("NIC", words)));
}

}  // namespace

std::vector<HostSlots> read_counts(const Value& value, const Topology& topology) {
  const int hosts = static_cast<int>(topology.hosts().size());
  const std::string text = value.text();
  const auto refuse = [&] {
    value.fail("expected ranks per host such as \"4-3-1\", got \"{}\"{}", text.substr(0, 60),
               text.size() > 60 ? "..." : "");
  };
  Table<HostSlots> result;
  std::int64_t ranks = 0;
  for (std::string_view rest = text; true;) {
    const auto dash = rest.find('-');
    const std::string_view part = rest.substr(0, dash);
    const auto x = part.find('x');
    const auto count = whole_number(part.substr(0, x));
    const auto times = x == std::string_view::npos ? 1 : whole_number(part.substr(x + 1));
    if (!count || !times || *times < 1) refuse();
    if (*times > hosts - static_cast<int>(result.size()))
      value.fail("the placement names more hosts than the cluster's {}", hosts);
    for (int i = 0; i < *times; ++i) result.push_back({static_cast<int>(result.size()), *count});
    ranks += std::int64_t{*count} * *times;
    if (ranks > most_ranks) value.fail("more than {} ranks", most_ranks);
    if (dash == std::string_view::npos) break;
    rest.remove_prefix(dash + 1);
  }
  if (ranks == 0) value.fail("the placement has no rank");
  return result;
}

std::vector<HostSlots> fill(const std::vector<HostSlots>& hosts, int ranks, MapBy map_by) {
  const int at_once = map_by == MapBy::node ? 1 : most_ranks;
  Table<HostSlots> result = hosts;
  for (HostSlots& host : result) host.slots = 0;
  std::vector<std::size_t> open;  // the hosts with room left in this round
  std::vector<int> room;
  while (ranks > 0) {
    if (open.empty()) {
      room = each_of(hosts, &HostSlots::slots);
      open = numbers_below<std::size_t>(hosts.size());
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

std::vector<int> host_of_each_rank(const std::vector<HostSlots>& hosts, MapBy map_by) {
  Table<int> result;
  if (map_by != MapBy::node) {
    for (const HostSlots& host : hosts)
      for (int i = 0; i < host.slots; ++i) result.push_back(host.host);
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

std::string counts_text(const std::vector<int>& host_of_rank) {
  Table<int> counts;
  for (const int host : host_of_rank) ++counts.grown(host);
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

std::string counts_words(std::string_view counts) {
  const auto end = counts.find_first_of(", ");
  const bool listed =
      end < counts.size() && end + 1 < counts.size() &&
      std::isdigit(static_cast<unsigned char>(counts[end + 1])) != 0;  // "0x3 1x2 0"
  counts = counts.substr(0, end);
  if (listed || counts.find('x') == std::string_view::npos) return "";
  std::string text;
  for (std::string_view rest = counts; true;) {
    const auto dash = rest.find('-');
    const std::string_view part = rest.substr(0, dash);
    const auto x = part.find('x');
    const auto ranks = whole_number(part.substr(0, x));
    if (!ranks) return "";
    text += fmt::format(
        "{}{}{} on {}", text.empty() ? "" : ", then ", *ranks,
        !text.empty() ? ""
        : *ranks == 1 ? " rank"
                      : " ranks",
        x == std::string_view::npos ? "one" : fmt::format("each of {} hosts", part.substr(x + 1)));
    if (dash == std::string_view::npos) return text;
    rest.remove_prefix(dash + 1);
  }
}

void read_buffers(Fields& fields, std::span<Location> ranks, const Topology& topology) {
  const Value* memory = fields.optional("memory");
  const Value* nics = fields.optional("nics");
  for (Location& rank : ranks) {
    const Host& host = topology.hosts()[rank.host];
    if (memory) rank.memory = read_memory(*memory, static_cast<int>(host.numa_domains.size()));
    if (nics) read_nics(*nics, topology, host, rank);
  }
}

std::string buffers_text(const Location& rank, const Topology& topology) {
  std::string text;
  if (rank.memory.kind == MemoryPolicy::Kind::bind)
    text += fmt::format(", memory on numa {}", rank.memory.domain);
  if (rank.memory.kind == MemoryPolicy::Kind::interleave) text += ", memory interleaved";
  if (rank.nics == NicChoice::all) text += ", all NICs";
  if (rank.nics == NicChoice::named) {
    const Host& host = topology.hosts()[rank.host];
    const std::string name = nic_name(topology, host.nics[rank.nic]);
    const bool numbered = name == fmt::format("nic{}", rank.nic);
    text += numbered ? fmt::format(", NIC {}", rank.nic) : ", NIC " + name;
  }
  return text;
}

int domain_near(const Topology& topology, const Host& host, int gpu) {
  const Vertex domain = topology.nearest_domain(host.gpus[gpu]);
  return static_cast<int>(std::ranges::find(host.numa_domains, domain) - host.numa_domains.begin());
}

std::vector<Location> cores_in_order(const Topology& topology, int host, MapBy map_by) {
  std::vector<Location> cores;
  const auto& domains = topology.hosts()[host].numa_domains;
  for (std::size_t numa = 0; numa < domains.size(); ++numa) {
    for (int core = 0; core < topology.graph()[domains[numa]].cores; ++core)
      cores.push_back({.host = host, .numa = static_cast<int>(numa), .core = core});
  }
  if (map_by == MapBy::numa) std::ranges::stable_sort(cores, {}, &Location::core);
  return cores;
}

std::vector<Location> gpus_in_order(const Topology& topology, int host_index, MapBy map_by) {
  const Host& host = topology.hosts()[host_index];
  Table<Location> places;
  Table<int> taken(host.numa_domains.size());
  for (int gpu = 0; gpu < static_cast<int>(host.gpus.size()); ++gpu) {
    const int numa = domain_near(topology, host, gpu);
    places.push_back({.host = host_index, .numa = numa, .core = taken[numa]++, .gpu = gpu});
  }
  if (map_by == MapBy::numa) std::ranges::stable_sort(places, {}, &Location::core);
  for (Location& place : places) {
    const Vertex domain = host.numa_domains[place.numa];
    place.core %= std::max(1, topology.graph()[domain].cores);
  }
  return places;
}

void avoid(Location& rank, const std::set<Core>& taken, const Topology& topology) {
  const auto is_free = [&](const Location& place) {
    return !taken.contains({place.host, place.numa, place.core});
  };
  if (rank.binding != Binding::core || is_free(rank)) return;
  Table<Location> places = cores_in_order(topology, rank.host, MapBy::slot);
  std::stable_partition(places.begin(), places.end(),
                        [&](const Location& place) { return place.numa == rank.numa; });
  const auto free = std::ranges::find_if(places, is_free);
  if (free == places.end()) return;
  rank.numa = free->numa;
  rank.core = free->core;
}

Taken::Taken(std::span<const Location> others) {
  for (const Location& one : others) {
    if (one.binding == Binding::core) cores.insert({one.host, one.numa, one.core});
    if (one.gpu >= 0) gpus.insert({one.host, one.gpu});
  }
}

bool Taken::has(const Location& place) const {
  return place.gpu >= 0 ? gpus.contains({place.host, place.gpu})
                        : cores.contains({place.host, place.numa, place.core});
}

}  // namespace ringscope
