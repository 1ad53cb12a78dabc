// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/cluster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "topologies/graph/topology.hpp"
#include "topologies/hosts/hosts.hpp"
#include "topologies/input/data_files.hpp"
#include "topologies/networks/networks.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

template <typename Entry>
const Entry& chosen(std::span<const Entry> list, std::string_view kind, const Value& name) {
  return list[name.one_of(kind, each_of(list, &Entry::name))];
}

/// Keys of a cluster that every network family takes.
constexpr std::array<std::string_view, 4> keys_of_any_network = {"about", "host", "link",
                                                                 "hash_seed"};

/// Appends "link.bandwidth 1 Gbit/s" for each key of the map; of a list its key alone.
void add_changes(const Value& map, const std::string& above, std::vector<std::string>& changes) {
  for (const auto& [key, key_place, value] : map.entries()) {
    const std::string name = above + key;
    if (value.kind() == Value::Kind::map)
      add_changes(value, name + ".", changes);
    else
      changes.push_back(value.kind() == Value::Kind::scalar ? name + " " + value.scalar() : name);
  }
}

/// A base's `about` is of the base: a cluster without its own names what it changes.
void describe_change(Value& merged, const Value& base, const Value& over) {
  const Value* about = base.find("about");
  if (about == nullptr || about->is_null() || over.find("about") != nullptr ||
      over.entries().empty())
    return;
  std::vector<std::string> changes;
  add_changes(over, "", changes);
  merged.set("about", Value::scalar_at(about->place(), fmt::format("{}; changed: {}", about->text(),
                                                                   fmt::join(changes, ", "))));
}

/// `base` with `over` laid over it, at the place of `over`. Under another network family the base
/// keeps the keys that any family takes. A key of `over` without a value removes the base's.
Value laid_over_base(const Value& base, const Value& over) {
  const Value *from = base.find("network"), *to = over.find("network");
  const bool same_family = from == nullptr || to == nullptr || to->is_null() ||
                           from->kind() != Value::Kind::scalar ||
                           to->kind() != Value::Kind::scalar || from->scalar() == to->scalar();
  Value merged = Value::empty_map_at(over.place());
  for (const auto& [key, key_place, value] : base.entries())
    if (same_family || std::ranges::find(keys_of_any_network, key) != keys_of_any_network.end())
      merged.set(key, value, key_place);
  merged.merge(over);
  describe_change(merged, base, over);
  Value kept = Value::empty_map_at(over.place());
  for (const auto& [key, key_place, value] : merged.entries())
    if (!value.is_null()) kept.set(key, value, key_place);
  return kept;
}

/// The map that describes the cluster, with every `base` laid under it.
Value read_map(const Value& value, int depth = 0) {
  constexpr int deepest = 8;
  if (value.kind() == Value::Kind::scalar) {
    if (depth > deepest) value.fail("a base is based on more than {} others", deepest);
    const std::string file = file_of(value, "topologies/clusters", "cluster");
    return read_map(read_part(file, "cluster"), depth + 1);
  }
  const Value* base = value.find("base");
  if (!base) return value;
  Value over = Value::empty_map_at(value.place());
  for (const auto& entry : value.entries())
    if (entry.key != "base") over.set(entry.key, entry.value, entry.key_place);
  if (base->is_null()) return over;
  if (base->kind() != Value::Kind::scalar) base->fail("expected the name of a cluster");
  const Value below = read_map(*base, depth);  // a name, whose file counts
  return below.kind() == Value::Kind::map ? laid_over_base(below, over) : below;
}

std::string name_of(const Value& value) {
  if (value.kind() == Value::Kind::scalar) return fs::path(value.scalar()).stem().string();
  const Value* base = value.find("base");
  const Value* named = base && !base->is_null() ? base : value.find("network");
  if (!named || named->kind() != Value::Kind::scalar) return "cluster";
  // A cluster that was changed in place does not keep the name of the one that it was.
  const bool changed = named == base && value.entries().size() > 1;
  return fs::path(named->scalar()).stem().string() + (changed ? "*" : "");
}

/// `hash_seed`: which of the equal routes are taken, as another switch, or another day, would.
void read_hash_seed(Fields& fields, Topology& topology) {
  if (const Value* seed = fields.optional("hash_seed"))
    topology.set_hash_seed(
        static_cast<std::uint64_t>(seed->integer(0, std::numeric_limits<std::int64_t>::max())));
}

/// `routing`: how switches choose a message's way.
void read_routing(Fields& fields, Topology& topology) {
  const Value* name = fields.optional("routing");
  if (name == nullptr) return;
  const auto routing = static_cast<Routing>(name->one_of("routing", routing_names));
  if (takes_detours(routing) && topology.waypoints().empty())
    name->fail("routing '{}' takes detours: expected a network with detours, such as a dragonfly",
               name->scalar());
  topology.set_routing(routing);
}

bool is_text(const Value* value, std::string_view text) {
  return value != nullptr && value->kind() == Value::Kind::scalar && value->scalar() == text;
}

/// True where no two routes between hosts are equally short.
bool has_single_routes(const Cluster& cluster) {
  const Value* family = cluster.resolved.find("network");
  const bool tree = is_text(family, "star") || (is_text(family, "two_level") &&
                                                is_text(cluster.resolved.find("uplinks"), "1"));
  return tree && std::ranges::all_of(cluster.topology.hosts(),
                                     [](const Host& host) { return host.nics.size() < 2; });
}

/// Keys of a choice among routes, where there is one route.
std::vector<std::string> vain_choices(const Cluster& cluster) {
  std::vector<std::string> vain;
  for (const char* key : {"hash_seed", "routing"})
    if (cluster.resolved.find(key) != nullptr && has_single_routes(cluster))
      vain.push_back(fmt::format(
          "'{}' changes nothing: one route leads from each host to each other one", key));
  return vain;
}

std::vector<std::string> whole_shares(const Cluster& cluster) {
  const Value* degraded = cluster.resolved.find("degraded");
  if (degraded == nullptr) return {};
  for (const Value& one : degraded->items()) {
    const Value *link = one.find("link"), *share = one.find("share");
    if (link != nullptr && share != nullptr && share->number(0, 1) == 1)
      return {fmt::format(
          "'share: 1' leaves {} all of its bandwidth: 0 is a dead link, 0.5 one at half its rate",
          link->text())};
  }
  return {};
}

// Values of links and memories that are most likely a slip, of the unit or by a missing key.

/// A cable of 100 km or more.
std::vector<std::string> long_cables(const Topology& topology) {
  constexpr double longest_s = 5e-4, km_per_s = 2e5;  // of light in a fibre
  for (int id = 0; id < topology.link_count(); ++id) {
    const Link& link = topology.link(id);
    if (link.latency.count() < longest_s) continue;
    return {fmt::format("the latency of {}, {}, equals {:.0f} km of fibre: did you mean {}?",
                        link.name, to_short_text(link.latency), km_per_s * link.latency.count(),
                        to_short_text(link.latency / 1000))};
  }
  return {};
}

/// Memory of a socket that carries less than half of a network link of its host.
std::vector<std::string> narrow_memories(const Topology& topology) {
  const Graph& graph = topology.graph();
  for (const Host& host : topology.hosts())
    for (const Vertex nic : host.nics)
      for (const Edge& edge : graph.edges(nic)) {
        const Link& cable = graph.link(edge.link);
        if (!topology.is_cable(edge.link) || cable.bandwidth.is_unlimited()) continue;
        for (const Vertex domain : host.numa_domains)
          if (2 * graph[domain].memory.bytes_per_second < cable.bandwidth.bytes_per_second)
            return {
                fmt::format("the memory of {} carries {}, less than the network link {}, {}: is "
                            "'memory_bandwidth' in bits? A socket's is some 100 GB/s",
                            graph[domain].name, to_short_text(graph[domain].memory), cable.name,
                            to_short_text(cable.bandwidth))};
      }
  return {};
}

/// Sockets whose link takes no time, though their memory has a bandwidth.
std::vector<std::string> free_sockets(const Topology& topology) {
  const Graph& graph = topology.graph();
  for (const Host& host : topology.hosts()) {
    if (!host.gpus.empty()) continue;  // described for its GPUs
    for (const Vertex domain : host.numa_domains) {
      if (graph[domain].memory.is_unlimited()) continue;  // nothing in the host takes time
      for (const Edge& edge : graph.edges(domain)) {
        const Link& link = graph.link(edge.link);
        const Component& other = graph[edge.to];
        const bool sockets = other.kind == ComponentKind::numa_domain &&
                             (other.socket < 0 || other.socket != graph[domain].socket);
        if (sockets && link.bandwidth.is_unlimited() && link.latency.count() == 0)
          return {fmt::format(
              "the link {} is unlimited and takes no time, so that the wrong socket costs nothing: "
              "state its bandwidth, such as 'socket_link: {{bandwidth: 20 GB/s, latency: 100 ns}}'",
              link.name)};
      }
    }
  }
  return {};
}

}  // namespace

Cluster read_cluster(const Value& value) {
  const Value map = read_map(value);
  Cluster cluster;
  cluster.name = name_of(value);
  Fields fields(map, "cluster");
  cluster.about = fields.value_or("about", "a cluster").text();
  const Value& network = fields.required("network");
  const auto& family = chosen(network_families(), "network", network);
  if (const Value* link = map.find("link"); link != nullptr && link->kind() == Value::Kind::map)
    if (const Value* kind = link->find("kind"); kind != nullptr && !kind->is_null()) {
      const std::vector<std::string> known = names_in("scenarios/transports");
      cluster.transport_name = known[kind->one_of("kind of network", known)];
    }
  const HostMaker make_host(fields, cluster.topology);
  try {
    family.build(fields, make_host, cluster.topology);
  } catch (const std::length_error& error) {
    network.fail("the cluster is too large: {}", error.what());
  }
  make_host.require_all();
  read_hash_seed(fields, cluster.topology);
  read_routing(fields, cluster.topology);
  const Value* degraded = fields.optional("degraded");
  fields.finish();
  cluster.topology.check(network.place());
  if (degraded != nullptr) read_degraded(*degraded, cluster.topology);
  cluster.resolved = fields.resolved();
  return cluster;
}

std::vector<std::string> slips(const Cluster& cluster) {
  return together({slips(cluster.topology), vain_choices(cluster), whole_shares(cluster)});
}

std::vector<std::string> warnings(const Cluster& cluster) {
  return together({warnings(cluster.topology), slips(cluster)});
}

std::vector<std::string> slips(const Topology& topology) {
  return together({long_cables(topology), narrow_memories(topology), free_sockets(topology)});
}

}  // namespace ringscope
