#include "sim/machine.hpp"

#include <fmt/core.h>

#include <tuple>

namespace ringscope::sim {
namespace {

void add_costs(std::vector<ByteCost>& costs, const Transport& transport) {
  costs.insert(costs.end(), {transport.send_cost, transport.recv_cost});
}

}  // namespace

void add_use(Uses& uses, int resource, int weight) {
  if (resource < 0) return;
  for (Use& use : uses)
    if (use.resource == resource) {
      use.weight += weight;
      return;
    }
  uses.push_back({resource, weight});
}

void add_uses(Uses& uses, const Uses& others, int times) {
  if (times == 0) return;
  for (const Use& use : others) add_use(uses, use.resource, use.weight * times);
}

Machine::Machine(const Scenario& scenario, Ledger& ledger)
    : scenario_(&scenario), ledger_(&ledger) {
  for (const Location& where : scenario.placement.ranks) hosts_.push_back(where.host);
  add_scales();
  add_cpus();
  add_memory();
  add_links();
  add_storage();
}

// Only costs that share a resource with something else must be whole numbers of one unit: those of
// the streams that a rank of the host can have, and, where memory can be the bottleneck, of all
// else that uses it. Work that uses nothing but a core is counted in time.
void Machine::add_scales() {
  const Library& library = scenario_->library;
  const Topology& topology = scenario_->cluster.topology;
  std::map<int, int> ranks_on;
  for (int rank = 0; rank < ranks(); ++rank) ++ranks_on[location(rank).host];
  for (int rank = 0; rank < ranks(); ++rank) {
    const int host = location(rank).host;
    std::vector<ByteCost> costs;
    if (ranks_on.size() > 1) add_costs(costs, library.transport(Way::network));
    if (ranks_on[host] > 1) add_costs(costs, library.transport(Way::shm));
    bool limited = false;
    for (const Vertex domain : topology.hosts()[static_cast<std::size_t>(host)].numa_domains)
      limited = limited || !topology.graph()[domain].memory.is_unlimited();
    if (!scenario_->storage.bandwidth.is_unlimited()) costs.push_back(library.copy_cost);
    if (limited) {
      costs.insert(costs.end(), {library.reduce_cost, library.copy_cost});
      for (const Transport& transport : library.transports) {
        add_costs(costs, transport);
        costs.push_back(transport.unexpected_cost);
      }
    }
    scales_.emplace_back(costs);
  }
}

const std::string& Machine::host_name(int rank) const {
  return scenario_->cluster.topology.hosts()[static_cast<std::size_t>(location(rank).host)].name;
}

Vertex Machine::domain_of(int rank) const {
  const Location& where = location(rank);
  return scenario_->cluster.topology.hosts()[static_cast<std::size_t>(where.host)]
      .numa_domains[static_cast<std::size_t>(where.numa)];
}

std::string Machine::rank_name(int rank) const {
  const Location& where = location(rank);
  if (where.binding != Binding::core) return fmt::format("{} (rank {})", host_name(rank), rank);
  const std::string& domain = scenario_->cluster.topology.graph()[domain_of(rank)].name;
  return fmt::format("{}/core{} (rank {})", domain, where.core, rank);
}

// The core, or the pool of cores, that a rank runs on. It is the rank's own where nobody shares it.
Resource Machine::core_resource(int rank, int sharers) const {
  const Location& where = location(rank);
  const Topology& topology = scenario_->cluster.topology;
  const Graph& graph = topology.graph();
  const Vertex own = domain_of(rank);
  if (where.binding == Binding::core)
    return {sharers > 1 ? fmt::format("{}/core{}", graph[own].name, where.core) : rank_name(rank),
            ResourceKind::core, scale(rank).capacity(), sharers > 1 ? -1 : rank};
  if (where.binding == Binding::numa)
    return {graph[own].name + "/cores", ResourceKind::core,
            scale(rank).capacity() * graph[own].cores, -1};
  int cores = 0;
  for (const Vertex domain : topology.hosts()[static_cast<std::size_t>(where.host)].numa_domains)
    cores += graph[domain].cores;
  return {host_name(rank) + "/cores", ResourceKind::core, scale(rank).capacity() * cores, -1};
}

void Machine::add_cpus() {
  const auto key = [this](int rank) {
    const Location& where = location(rank);
    return std::tuple(where.host, where.binding == Binding::host ? -1 : where.numa,
                      where.binding == Binding::core ? where.core : -1);
  };
  std::map<decltype(key(0)), int> sharers, resources;
  for (int rank = 0; rank < ranks(); ++rank) ++sharers[key(rank)];
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto [place, is_new] = resources.try_emplace(key(rank), -1);
    if (is_new) place->second = ledger_->add(core_resource(rank, sharers[key(rank)]));
    Uses cpu = {{place->second, 1}};
    // Free to use any of several cores, but never more than one at a time.
    if (location(rank).binding != Binding::core)
      cpu.push_back(
          {ledger_->add({rank_name(rank), ResourceKind::core, scale(rank).capacity(), rank}), 1});
    cpus_.push_back(std::move(cpu));
  }
}

Uses Machine::spare_cpu(int rank, const std::string& what) {
  const std::string name = fmt::format("{}/{} (rank {})", host_name(rank), what, rank);
  return {{ledger_->add({name, ResourceKind::core, scale(rank).capacity(), rank}), 1}};
}

Uses Machine::thread_cpu(int rank, const std::string& what) {
  const Use own = spare_cpu(rank, what).front();
  if (location(rank).binding == Binding::core) return {own};
  return {cpu(rank).front(), own};
}

int Machine::add_lock(int rank, int endpoint) {
  const std::string name = fmt::format("endpoint{} (rank {})", endpoint, rank);
  return ledger_->add({name, ResourceKind::lock, scale(rank).capacity(), rank});
}

void Machine::add_memory() {
  const Graph& graph = scenario_->cluster.topology.graph();
  for (int rank = 0; rank < ranks(); ++rank) {
    const Vertex domain = domain_of(rank);
    const Component& component = graph[domain];
    if (!component.memory.is_unlimited() && !memory_resources_.count(domain))
      memory_resources_[domain] = ledger_->add({component.name + "/memory", ResourceKind::memory,
                                                component.memory.bytes_per_second, -1});
    Uses memory;
    add_use(memory, memory_of(rank), 1);
    memories_.push_back(std::move(memory));
  }
}

int Machine::memory_of(int rank) const {
  const auto found = memory_resources_.find(domain_of(rank));
  return found == memory_resources_.end() ? -1 : found->second;
}

void Machine::add_links() {
  const Topology& topology = scenario_->cluster.topology;
  const double goodput = scenario_->library.transport(Way::network).goodput;
  for (int id = 0; id < topology.link_count(); ++id) {
    const Link& link = topology.link(id);
    const double share = topology.is_cable(id) ? goodput : 1;
    link_resources_.push_back(link.bandwidth.is_unlimited()
                                  ? -1
                                  : ledger_->add({link.name, ResourceKind::link,
                                                  link.bandwidth.bytes_per_second * share, -1}));
  }
}

Uses Machine::route_uses(const Route& route) const {
  Uses uses;
  for (const int link : route.links)
    add_use(uses, link_resources_[static_cast<std::size_t>(link)], 1);
  return uses;
}

void Machine::add_storage() {
  const Storage& storage = scenario_->storage;
  if (storage.bandwidth.is_unlimited()) return;
  for (const int rank_host : hosts_) {
    const int host = storage.host < 0 ? rank_host : storage.host;
    const auto [place, is_new] = storage_resources_.try_emplace(host, -1);
    if (!is_new) continue;
    const std::string name =
        scenario_->cluster.topology.hosts()[static_cast<std::size_t>(host)].name + "/storage";
    place->second =
        ledger_->add({name, ResourceKind::storage, storage.bandwidth.bytes_per_second, -1});
  }
}

Uses Machine::storage(int rank, bool writing) const {
  const Topology& topology = scenario_->cluster.topology;
  const int own = location(rank).host;
  const int host = scenario_->storage.host < 0 ? own : scenario_->storage.host;
  Uses uses;
  const auto found = storage_resources_.find(host);
  if (found != storage_resources_.end()) add_use(uses, found->second, 1);
  add_uses(uses, memory(rank));
  if (host == own) return uses;
  const Vertex there = topology.hosts()[static_cast<std::size_t>(host)].numa_domains.front();
  const Vertex here = domain_of(rank);
  const auto flow = static_cast<std::uint64_t>(rank);
  add_uses(uses, route_uses(writing ? topology.route(here, there, flow)
                                    : topology.route(there, here, flow)));
  return uses;
}

Channel& Machine::channel(int from, int to) {
  const auto key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  const auto found = channels_.find(key);
  if (found != channels_.end()) return found->second;
  return channels_.emplace(key, make_channel(from, to)).first->second;
}

Channel Machine::make_channel(int from, int to) const {
  Channel channel;
  const bool one_host = location(from).host == location(to).host;
  channel.way = from == to ? Way::self : one_host ? Way::shm : Way::network;
  channel.transport = &scenario_->library.transport(channel.way);
  const auto flow = static_cast<std::uint64_t>(from) * static_cast<std::uint64_t>(ranks()) +
                    static_cast<std::uint64_t>(to);
  const Route route = scenario_->cluster.topology.route(domain_of(from), domain_of(to), flow);
  channel.route_latency = route.latency.count();
  const Uses links = route_uses(route);
  if (!one_host) {
    channel.wire = links;
    return channel;
  }
  // The shared segment lies in the sender's domain: a copy in reads and writes there, a copy out
  // reads there and writes at the receiver's, across the links between the two domains.
  add_use(channel.copy_in, memory_of(from), 2);
  channel.copy_out = links;
  add_use(channel.copy_out, memory_of(from), 1);
  add_use(channel.copy_out, memory_of(to), 1);
  return channel;
}

}  // namespace ringscope::sim
