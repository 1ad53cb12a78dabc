// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/machine/fabric.hpp"

#include "topologies/graph/splitmix.hpp"

namespace ringscope::sim {
namespace {

/// The finer, the nearer is what computations are counted with to the bytes that they need.
constexpr int parts_of_byte = 64;

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

Fabric::Fabric(const Scenario& scenario, Ledger& ledger, std::set<int> only_hosts,
               std::shared_ptr<const CellLinks> links)
    : scenario_(&scenario),
      ledger_(&ledger),
      only_hosts_(std::move(only_hosts)),
      cell_links_(std::move(links)),
      buffer_locations_(scenario) {
  find_grain();
  add_memories();
  add_links();
}

void Fabric::find_grain() {
  int domains = 1, rails = 1;
  for (int rank = 0; rank < static_cast<int>(buffer_locations_.ranks()); ++rank) {
    const Location& where = location(rank);
    const Host& host = topology().hosts()[where.host];
    domains = std::lcm(domains, static_cast<int>(buffer_locations(rank).size()));
    if (where.nics == NicChoice::all && !host.nics.empty())
      rails = std::lcm(rails, static_cast<int>(host.nics.size()));
  }
  grain_ = domains * rails * (states_needs(*scenario_) ? parts_of_byte : 1);
}

int Fabric::add(const std::string& name, ResourceKind kind, Bandwidth bandwidth, double share) {
  if (bandwidth.is_unlimited()) return -1;
  return ledger_->add({{name}, kind, bandwidth.bytes_per_second * share * grain_});
}

// Memories of hosts that have ranks: others' memories and engines are never used.
void Fabric::add_memories() {
  for (const auto& [index, ranks] : scenario_->placement.ranks_by_host()) {
    if (!has_resources(index)) continue;
    const Host& host = topology().hosts()[index];
    std::vector<Vertex> all = host.numa_domains;
    all.insert(all.end(), host.gpus.begin(), host.gpus.end());
    for (const Vertex vertex : all) {
      const Component& one = component(vertex);
      const int resource = add(one.name + "/memory", ResourceKind::memory, one.memory);
      if (resource >= 0) memory_resources_[vertex] = resource;
      if (is_gpu(vertex)) add_engines(vertex);
    }
  }
}

// One engine serves both directions, two have one each.
void Fabric::add_engines(Vertex gpu) {
  const Component& one = component(gpu);
  Engines engines;
  engines.peer = add(one.name + "/peer writes", ResourceKind::link, one.peer_bandwidth);
  if (one.copy_engines == 1) {
    engines.in = engines.out =
        add(one.name + "/copy engine", ResourceKind::link, one.copy_bandwidth);
  } else if (one.copy_engines > 1) {
    engines.out = add(one.name + "/copy engine out", ResourceKind::link, one.copy_bandwidth);
    engines.in = add(one.name + "/copy engine in", ResourceKind::link, one.copy_bandwidth);
  }
  engines_[gpu] = engines;
}

void Fabric::add_links() {
  const double goodput = scenario_->library.transport(Way::network).goodput;
  for (int id = 0; id < topology().link_count(); ++id) {
    const Link& link = topology().link(id);
    // A cable to a switch is its host's.
    const int host = std::max(component(topology().source_of(id)).host,
                              component(topology().target_of(id)).host);
    const bool of_cell = host < 0 && cell_links_ != nullptr && cell_links_->names.contains(id);
    const bool is_free = scenario_->speedup.free_links && topology().is_cable(id);
    if ((!has_resources(host) && !of_cell) || is_free) {
      link_resources_.push_back(-1);
      both_resources_.push_back(-1);
      continue;
    }
    const double share = topology().is_cable(id) ? goodput : 1;
    link_resources_.push_back(add(link.name, ResourceKind::link, link.bandwidth, share));
    // The two directions have neighbouring ids.
    const bool second = id % 2 == 1;
    both_resources_.push_back(
        second ? both_resources_.back()
               : add(link.name + " and back", ResourceKind::link, link.both, share));
  }
}

void Fabric::add_memory(Uses& uses, Vertex vertex, int times, int shares) const {
  const auto found = memory_resources_.find(vertex);
  if (found != memory_resources_.end())
    add_use(uses, shared(found->second), times * grain_ / shares);
}

void Fabric::scale_memories(Uses& uses, double factor) const {
  for (const auto& [vertex, resource] : memory_resources_)
    for (Use& use : uses)
      if (use.resource == resource)
        use.weight = std::max(1, static_cast<int>(std::lround(use.weight * factor)));
}

void Fabric::add_route(Uses& uses, const Route& route, int times, int shares) const {
  const int weight = times * grain_ / shares;
  for (const int id : route.links) {
    add_use(uses, shared(link_resources_[id]), weight);
    add_use(uses, shared(both_resources_[id]), weight);
  }
  if (!route.peer) return;
  const auto found = engines_.find(topology().source_of(route.links.front()));
  if (found != engines_.end()) add_use(uses, shared(found->second.peer), weight);
}

void Fabric::add_engine(Uses& uses, Vertex gpu, bool out, int shares) const {
  const auto found = engines_.find(gpu);
  if (found != engines_.end())
    add_use(uses, shared(out ? found->second.out : found->second.in), grain_ / shares);
}

void Fabric::add_rails(Uses& uses, std::span<const Route> rails, int shares) const {
  for (const Route& rail : rails) add_route(uses, rail, 1, shares * static_cast<int>(rails.size()));
}

void Fabric::add_leg(Uses& uses, const Route& leg, Vertex from, Vertex to, int shares,
                     bool engines) const {
  add_route(uses, leg, 1, shares);
  const bool leaves = component(from).host != component(to).host;
  // Copies inside a host are made by the engine of the GPU that sends, or that takes from memory.
  if (leaves || from == to || !engines) return;
  if (is_gpu(from))
    add_engine(uses, from, true, shares);
  else if (is_gpu(to))
    add_engine(uses, to, false, shares);
}

/// The leg that leaves a host uses these components.
void Fabric::lead_by(const Waypoints& by, StagedRoute& route, Vertex source, Vertex target,
                     std::uint64_t flow) const {
  for (std::size_t leg = 0; leg < route.legs.size(); ++leg) {
    const Vertex here = leg == 0 ? source : route.staging[leg - 1];
    const Vertex next = leg + 1 == route.legs.size() ? target : route.staging[leg];
    if (component(here).host == component(next).host) continue;
    Waypoints waypoints = {here};
    waypoints.insert(waypoints.end(), by.begin(), by.end());
    waypoints.push_back(next);
    Route led = route_by(topology(), waypoints, flow, &buffer_locations_.known());
    route.latency += led.latency - route.legs[leg].latency;
    route.legs[leg] = std::move(led);
  }
}

// Buffers spread over a domains go pairwise to those spread over b, a share of the bytes each.
Fabric::RouteUses Fabric::route_uses(int from, int to, bool engines, const Waypoints& by,
                                     const RouteChoice& choice) const {
  RouteUses found;
  const View<const Vertex> sources = buffer_locations(from), targets = buffer_locations(to);
  const auto shares = std::lcm(static_cast<int>(sources.size()), static_cast<int>(targets.size()));
  const bool all_nics = location(from).nics == NicChoice::all;
  auto flow =
      static_cast<std::uint64_t>(from) * buffer_locations_.ranks() + static_cast<std::uint64_t>(to);
  if (choice.draw != 0) flow = random_of({flow, choice.draw});
  Waypoints waypoints = by;  // out of the host, by the detour, into the other
  waypoints.insert(waypoints.end() - (by.empty() ? 0 : 1), choice.detour.begin(),
                   choice.detour.end());
  for (int i = 0; i < shares; ++i) {
    const Vertex source = sources[i % std::ssize(sources)];
    const Vertex target = targets[i % std::ssize(targets)];
    StagedRoute route = buffer_locations_.staged_route(source, target, flow);
    if (!waypoints.empty()) lead_by(waypoints, route, source, target, flow);
    found.latency = std::max(found.latency, route.latency.count());
    found.staged =
        found.staged || (!route.staging.empty() && location(from).host == location(to).host);
    if (is_gpu(source)) add_memory(found.uses, source, 1, shares);
    for (const Vertex waypoint : by)
      if (is_gpu(waypoint)) add_memory(found.uses, waypoint, 2, shares);
    Vertex here = source;
    for (std::size_t leg = 0; leg < route.legs.size(); ++leg) {
      const bool last = leg + 1 == route.legs.size();
      const Vertex next = last ? target : route.staging[leg];
      if (all_nics && component(here).host != component(next).host)
        add_rails(found.uses, topology().rails(here, next, flow, choice.detour), shares);
      else
        add_leg(found.uses, route.legs[leg], here, next, shares, engines);
      if (!last) add_memory(found.uses, next, 2, shares);
      here = next;
    }
    if (is_gpu(target)) add_memory(found.uses, target, 1, shares);
  }
  return found;
}

// On this side of the switch are all messages, or the one of which all are copies.
Fabric::RouteUses Fabric::switch_route_uses(int from, int to, const Block& block) const {
  const Vertex source = buffer_locations(from).front(), target = buffer_locations(to).front();
  const Route route = buffer_locations_.route(source, target);
  const auto is_switch = [this](int id) {
    return component(topology().target_of(id)).kind == ComponentKind::nvswitch;
  };
  const bool any = std::ranges::any_of(route.links, is_switch);
  const bool adds_up = block.by == Switch::adds_up;
  const int before = adds_up || !any ? block.together : 1,
            behind = adds_up && any ? 1 : block.together;
  int times = before;
  RouteUses found;
  add_memory(found.uses, source, times);
  for (const int id : route.links) {
    add_route(found.uses, {.links = {id}}, times);
    if (is_switch(id)) times = behind;
  }
  add_memory(found.uses, target, behind);
  found.latency = route.latency.count();
  return found;
}

}  // namespace ringscope::sim
