// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/machine/machine.hpp"

namespace ringscope::sim {
namespace {

void add_costs(std::vector<ByteCost>& costs, const Transport& transport) {
  costs.insert(costs.end(), {transport.send_cost, transport.recv_cost});
}

/// Hosts of the ranks that stand for those of others; none where they are on all of them.
std::set<int> simulated_hosts(const Scenario& scenario, const Orbits& orbits) {
  std::set<int> hosts;
  for (int rank = 0; orbits.folded() && !orbits.gpus_move() && rank < orbits.simulated; ++rank)
    hosts.insert(scenario.placement.ranks[rank].host);
  return hosts;
}

}  // namespace

Machine::Machine(const Scenario& scenario, Ledger& ledger, std::optional<Orbits> orbits)
    : jobs_(scenario),
      scenario_(&jobs_.whole()),
      ledger_(&ledger),
      orbits_(orbits.value_or(Orbits{ranks(), ranks()})),
      shares_gpus_(states_needs(scenario)),
      fabric_(*scenario_, ledger, simulated_hosts(*scenario_, orbits_), orbits_.links) {
  for (const Location& where : scenario_->placement.ranks) hosts_.push_back(where.host);
  further_ = further_threads(scenario);
  add_scales();
  count_pipelines();
  add_shared_cores();
  add_cpus();
  add_gpus();
  add_local_work();
  add_storage();
  add_inputs();
}

// Only costs that share a resource with something else must be whole numbers of one unit: those of
// the streams that a rank of the host can have, of each job by itself, and, where memory can be the
// bottleneck, of all else that uses it. Work that uses nothing but a core is counted in time.
void Machine::add_scales() {
  const Library& library = scenario_->library;
  const Topology& topology = scenario_->cluster.topology;
  std::map<int, std::map<int, int>> ranks_on;  // by job, by host
  for (int rank = 0; rank < ranks(); ++rank) ++ranks_on[jobs_.index(rank)][location(rank).host];
  std::set<int> with_network, with_shm;  // hosts
  for (const auto& [job, hosts] : ranks_on) {
    for (const auto& [host, count] : hosts) {
      if (hosts.size() > 1) with_network.insert(host);
      if (count > 1) with_shm.insert(host);
    }
  }
  for (int rank = 0; rank < orbits_.simulated; ++rank) {
    const int host = location(rank).host;
    std::vector<ByteCost> costs;
    if (with_network.contains(host)) add_costs(costs, library.transport(Way::network));
    if (with_shm.contains(host)) add_costs(costs, library.transport(Way::shm));
    if (library.knows_gpus)
      for (const Way way : {Way::p2p, Way::staged, Way::gdr})
        add_costs(costs, library.transport(way));
    bool limited = false;
    const Host& there = topology.hosts()[host];
    for (const auto& all : {there.numa_domains, there.gpus})
      for (const Vertex memory : all)
        limited = limited || !topology.graph()[memory].memory.is_unlimited();
    if (!scenario_->storage.bandwidth.is_unlimited()) costs.push_back(library.copy_cost);
    if (limited) {
      costs.insert(costs.end(), {library.reduce_cost, library.copy_cost, library.gpu.reduce_cost,
                                 library.gpu.copy_cost});
      for (const Transport& transport : library.transports) {
        add_costs(costs, transport);
        costs.push_back(transport.unexpected_cost);
      }
    }
    scales_.emplace_back(costs);
  }
}

const std::string& Machine::host_name(int rank) const {
  return scenario_->cluster.topology.hosts()[location(rank).host].name;
}

std::string Machine::place_of(int rank) const {
  const Location& where = location(rank);
  if (where.binding != Binding::core) return host_name(rank);
  const std::string& domain = scenario_->cluster.topology.graph()[domain_of(rank)].name;
  return fmt::format("{}/core{}", domain, where.core);
}

Resource Machine::own(const std::string& place, ResourceKind kind, int rank) const {
  return {jobs_.owned(place, rank), kind, scale(rank).capacity(), rank};
}

int Machine::add_lock(int rank, int endpoint) {
  return ledger_->add(own(fmt::format("endpoint{}", endpoint), ResourceKind::lock, rank));
}

// A core reads and writes the rank's buffers where they lie; a GPU has its own at hand.
Uses Machine::local_work(int rank, int reads, int writes) const {
  const Topology& topology = scenario_->cluster.topology;
  const std::vector<Vertex>& buffer_locations = fabric_.buffer_locations(rank);
  const auto shares = static_cast<int>(buffer_locations.size());
  Uses uses;
  for (const Vertex home : buffer_locations) {
    fabric_.add_memory(uses, home, reads + writes, shares);
    if (on_gpu(rank) || home == domain_of(rank)) continue;
    fabric_.add_route(uses, topology.route(home, domain_of(rank)), reads, shares);
    fabric_.add_route(uses, topology.route(domain_of(rank), home), writes, shares);
  }
  return uses;
}

// A reduction reads two vectors and writes one, a copy reads one.
void Machine::add_local_work() {
  for (int rank = 0; rank < orbits_.simulated; ++rank) {
    reductions_.push_back(local_work(rank, 2, 1));
    copies_.push_back(local_work(rank, 1, 1));
  }
}

void Machine::add_storage() {
  const Storage& storage = scenario_->storage;
  if (storage.bandwidth.is_unlimited()) return;
  for (int rank = 0; rank < orbits_.simulated; ++rank) {
    const int host = storage.host < 0 ? location(rank).host : storage.host;
    const auto [place, is_new] = storage_resources_.try_emplace(host, -1);
    if (!is_new) continue;
    const std::string name = scenario_->cluster.topology.hosts()[host].name + "/storage";
    place->second =
        ledger_->add({{name}, ResourceKind::storage, storage.bandwidth.bytes_per_second});
  }
}

Uses Machine::storage(int rank, bool writing) const {
  const Topology& topology = scenario_->cluster.topology;
  const int own = location(rank).host;
  const int host = scenario_->storage.host < 0 ? own : scenario_->storage.host;
  Uses uses;
  const auto found = storage_resources_.find(host);
  if (found != storage_resources_.end()) add_use(uses, found->second, 1);
  fabric_.add_memory(uses, domain_of(rank), 1);
  if (host == own) return uses;
  const Vertex there = topology.hosts()[host].numa_domains.front();
  const Vertex here = domain_of(rank);
  const auto flow = static_cast<std::uint64_t>(rank);
  fabric_.add_route(
      uses, writing ? topology.route(here, there, flow) : topology.route(there, here, flow), 1);
  return uses;
}

std::size_t Machine::EndsHash::operator()(const Ends& ends) const {
  const auto ranks =
      static_cast<std::uint64_t>(ends.from) << 32 | static_cast<std::uint32_t>(ends.to);
  constexpr std::size_t kinds = 3, most_channels = 64;
  const auto channel = static_cast<std::uint64_t>(ends.block.communicator) * most_channels +
                       static_cast<std::uint64_t>(ends.block.channel + 1);
  const auto block =
      (channel * protocol_names.size() + static_cast<std::uint64_t>(ends.block.protocol)) * kinds +
      static_cast<std::uint64_t>(ends.block.by);
  return std::hash<std::uint64_t>()(ranks ^ block << 24);
}

Channel& Machine::channel(int from, int to, Block block) {
  const Ends ends = {from, to, known_block(from, to, block)};
  const auto found = channels_.find(ends);
  return found != channels_.end() ? found->second : add_channel(ends);
}

// Messages of a kernel without blocks of its own, or of ranks that are not on GPUs, are a rank's.
Block Machine::known_block(int from, int to, Block block) const {
  return block.is_any() && on_gpu(from) && on_gpu(to) && scenario_->library.blocks ? block
                                                                                   : Block{};
}

Channel& Machine::add_channel(const Ends& ends) {
  const auto& [from, to, block] = ends;
  PairRoute route = block.is_any() ? make_block_route(from, to, block) : make_route(from, to);
  route.source = orbits_.seen_sender(from, to);
  route.destination = orbits_.simulated_for(to);
  route.counted = route.source < jobs_.own();
  Channel& made = channels_.try_emplace(ends, std::move(route)).first->second;
  if (made.route_.transport->order == Order::fifo) {
    const int endpoints = scenario_->library.endpoints;
    made.last_data.resize(endpoints * endpoints, -1);
  }
  made_.push_back(&made);
  if (made.route_.slices > 1) sliced_.push_back(&made);
  return made;
}

Machine::Sent Machine::sent() const {
  Sent sent;
  for (const Channel* channel : made_) sent.emplace_back(channel->sent, channel->sent_bytes);
  return sent;
}

void Machine::repeat_sent(std::uint64_t times, const Sent& before) {
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const auto [messages, bytes] = i < before.size() ? before[i] : Sent::value_type();
    made_[i]->sent += times * (made_[i]->sent - messages);
    made_[i]->sent_bytes += times * (made_[i]->sent_bytes - bytes);
  }
}

Way Machine::way(int from, int to, const Fabric::RouteUses& route) const {
  if (from == to) return Way::self;
  if (location(from).host != location(to).host)
    return way_between_hosts(scenario_->cluster.topology, location(from), location(to));
  if (!on_gpu(from) && !on_gpu(to)) return Way::shm;
  // Between a GPU and host memory there is a copy too, one leg of a staged one.
  return on_gpu(from) && on_gpu(to) && !route.staged ? Way::p2p : Way::staged;
}

Way way_between_hosts(const Topology& topology, const Location& from, const Location& to) {
  if (from.gpu < 0 && to.gpu < 0) return Way::network;
  const auto direct = [&](const Location& where) {
    return where.gpu < 0 || topology.hosts()[where.host].gpudirect;
  };
  return direct(from) && direct(to) ? Way::gdr : Way::network;
}

// The message uses of its receiver's host whatever the like one uses here that comes to the rank
// which is simulated for the receiver.
Fabric::RouteUses Machine::route_uses(int from, int to, bool engines, Block block) const {
  const Ends ends = {from, to, block};
  Fabric::RouteUses route = striped_uses(ends, from, to, engines);
  if (to >= orbits_.simulated && !orbits_.gpus_move()) {
    const int sender = orbits_.seen_sender(from, to), receiver = orbits_.simulated_for(to);
    const Uses there = striped_uses(ends, sender, receiver, engines).uses;
    for (const Use& use : there) {
      const std::size_t before = route.uses.size();
      add_use(route.uses, use.resource, use.weight);
      if (route.uses.size() == before) route.again.push_back({use, before});
    }
  }
  return route;
}

// One message after the other, as their times add up.
int Machine::message_time(ResourceId of, bool out) {
  of.place += out ? "/messages out" : "/messages in";
  const auto [place, is_new] = message_times_.try_emplace(of, -1);
  if (is_new) place->second = ledger_->add({of, ResourceKind::link, 1.0});
  return place->second;
}

PairRoute Machine::make_route(int from, int to) {
  const Fabric::RouteUses found = route_uses(from, to, true);
  PairRoute route;
  route.way = way(from, to, found);
  route.transport = &scenario_->library.transport(route.way);
  if (route.way != Way::shm && route.way != Way::self) {
    route.choices = choices({from, to, {}}, true, found);
    route.again = found.again;
    if (!route.transport->message_gap.is_zero() && route.between_hosts())
      for (const bool out : {true, false}) {
        const int host = location(out ? from : orbits_.simulated_for(to)).host;
        const std::string& name = scenario_->cluster.topology.hosts()[host].name;
        route.nic.push_back({message_time({name}, out), 1});
      }
    return route;
  }
  route.choices.push_back({{}, found.latency * scenario_->speedup.latencies(false), {}});
  if (on_gpu(from)) {
    route.copy_out = copy(from);
    return route;
  }
  // The shared segment lies in the domain of the sender's core: a copy in reads the sender's buffer
  // and writes there, a copy out reads there and writes the receiver's buffer, each across the
  // links to the core that makes it. What costs the sender nothing is read where it is.
  const Vertex segment = domain_of(from), reader = domain_of(to);
  add_uses(route.copy_in, local_work(from, 1, 0));
  fabric_.add_memory(route.copy_in, segment, 1);
  const bool single_copy = route.transport->send_cost.seconds_per_byte == 0;
  const std::vector<Vertex> sources =
      single_copy ? fabric_.buffer_locations(from) : std::vector{segment};
  const auto shares = static_cast<int>(sources.size());
  for (const Vertex source : sources) {
    fabric_.add_memory(route.copy_out, source, 1, shares);
    if (source == reader) continue;
    fabric_.add_route(route.copy_out, scenario_->cluster.topology.route(source, reader), 1, shares);
  }
  add_uses(route.copy_out, local_work(to, 0, 1));
  return route;
}

}  // namespace ringscope::sim
