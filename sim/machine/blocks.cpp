// SPDX-License-Identifier: LGPL-2.1-or-later
// Blocks of a kernel that exchange data themselves, as resources: each block, what the GPU has for
// all of them, and the links, with the flags and headers that they carry beside the data.

#include "scenarios/question/nccl_communicators.hpp"
#include "sim/machine/machine.hpp"

namespace ringscope::sim {
namespace {

/// NCCL 2.30.7, src/device/prims_simple.h: a 32nd of two steps of 512 KiB.
constexpr double least_slice = 32 << 10;  ///< B

/// Bytes in a connection's buffer for each byte of data: the rest are flags.
/// Source: NCCL 2.30.7, src/include/device.h, ncclLLFifoLine, NCCL_LL128_LINEELEMS; RCCL, the same.
double in_buffer(Protocol protocol, const BlockCosts& costs) {
  const double ll128 = costs.generation == nccl::Generation::cdna3 ? 8.0 / 7 : 16.0 / 15;
  return protocol == Protocol::simple ? 1 : protocol == Protocol::ll ? 2 : ll128;
}

}  // namespace

// The receiver can pass on a chunk of C bytes when all of it has come, at t, and the first slice,
// F, has been told: a hop after it came, at t minus what the C - F behind it took.
double Channel::latency_behind_slices(double whole, std::uint64_t bytes, double now) const {
  const auto chunk = static_cast<double>(bytes);
  const double behind = chunk - std::max(chunk / route_.slices, least_slice);
  if (behind <= 0) return whole;
  return std::max(0.0, whole - behind / chunk * (now - left_at_));
}

void Machine::describe(StateRecord& record) const {
  for (const Channel* channel : sliced_)
    Channel::visit(*channel, [&](double left_at, bool on_wire) {
      if (on_wire) record.add_time(ledger_->now() - left_at);
    });
}

void Machine::skip(double seconds) {
  for (Channel* channel : sliced_)
    Channel::visit(*channel, [&](double& left_at, bool) { left_at += seconds; });
}

double Machine::block_copy(Block block, std::uint64_t bytes) const {
  const double rate = scenario_->library.blocks->costs(block.protocol).copy.bytes_per_second;
  return static_cast<double>(bytes) / rate;
}

double Machine::block_start(int rank, Block block, bool launched) const {
  const BlockCosts& costs = *scenario_->library.blocks;
  const bool cuda_graph = jobs_.job(rank).options.given.cuda_graph;
  const Seconds start = costs.costs(block.protocol).start;
  return (block.exchanges ? costs.exchange_start.value_or(start) : start).count() +
         (launched ? costs.launch_from(cuda_graph).count() : 0);
}

// A byte that a block sends uses the block, and what the GPU has for all blocks of the protocol. A
// block that stands for several uses its own resource as one of them, the GPU's as all. Sends and
// receives of exchanges halve a block's threads (NCCL 2.30.7, src/device/sendrecv.h): both use it.
// A byte of a ring is in the GPU's memory three times: a read of the rank's own, one of the buffer,
// and the write before that. A byte of an exchange is there four times: it is copied at both ends.
void Machine::add_block(Uses& uses, int rank, Block block, double carries, int times,
                        bool receives) {
  const ProtocolCosts& costs = scenario_->library.blocks->costs(block.protocol);
  const std::string_view name = protocol_names[block.protocol];
  const auto add = [&](int communicator, int channel, double rate, const auto& what, int weight) {
    if (std::isinf(rate)) return;
    const auto [place, is_new] =
        blocks_.try_emplace({rank, communicator, channel, block.protocol, carries}, -1);
    if (is_new)
      place->second =
          ledger_->add({{jobs_.owned(what(), rank)}, ResourceKind::core, rate / carries, rank});
    add_use(uses, place->second, weight);
  };
  const auto block_name = [&, number = block.communicator] {
    const auto& groups = jobs_.job(rank).groups;
    const std::string group = number > 0 ? groups->known.of_number(number).name + " " : "";
    return fmt::format("{}channel{} {}", group, block.channel, name);
  };
  add(block.communicator, block.channel, costs.block.bytes_per_second, block_name, times);
  if (receives) return;
  const std::string_view last = block.exchanges ? " exchanges" : "";
  add(
      0, block.exchanges ? -2 : -1, costs.gpu.bytes_per_second * (block.exchanges ? 3.0 / 4 : 1),
      [&] { return fmt::format("GPU {}{}", name, last); }, times * block.alike);
}

// Threads of a block that send between hosts do not receive, and send at a limited bandwidth.
void Machine::add_exchange(Uses& uses, int rank, Block block, double carries, bool out, int times) {
  const Bandwidth rate = scenario_->library.blocks->exchange_between_hosts;
  if (rate.is_unlimited()) return;
  const auto [place, is_new] =
      exchanges_.try_emplace({rank, block.communicator, block.channel, carries, out}, -1);
  if (is_new) {
    const std::string what = fmt::format("channel{} {}", block.channel, out ? "sends" : "receives");
    place->second = ledger_->add(
        {{jobs_.owned(what, rank)}, ResourceKind::core, rate.bytes_per_second / carries, rank});
  }
  add_use(uses, place->second, times);
}

// The rings of a search say by which NICs they go from host to host.
nccl::ChannelNics Machine::channel_nics(int rank, Block block) const {
  const Job& job = jobs_.job(rank);
  int place = jobs_.number(rank);
  const nccl::JobChannels* rings = job.rings.get();
  if (block.communicator > 0) {
    const auto& ranks = job.groups->known.of_number(block.communicator).ranks;
    place = static_cast<int>(std::ranges::find(ranks, place) - ranks.begin());
    rings = job.groups->found[job.groups->known.index(block.communicator)].get();
  }
  if (rings == nullptr || rings->nics.empty()) return {};
  return rings->nics[block.channel % std::ssize(rings->nics)][place];
}

Fabric::Waypoints Machine::waypoints(const Ends& ends, int from, int to) const {
  if (location(from).host == location(to).host) return {};
  if (!ends.block.is_any())
    return named_nics(scenario_->cluster.topology, location(from), location(to));
  const nccl::ChannelNics here = channel_nics(ends.from, ends.block),
                          there = channel_nics(ends.to, ends.block);
  if (here.out < 0 || there.in < 0) return {};
  const auto& hosts = scenario_->cluster.topology.hosts();
  const Host &source = hosts[location(from).host], &target = hosts[location(to).host];
  Fabric::Waypoints stops = {source.nics[here.out], target.nics[there.in]};
  if (here.relay >= 0) stops.insert(stops.begin(), source.gpus[here.relay]);
  return stops;
}

/// A message uses all NICs that are joined with the NICs of its route, in equal parts: the first
/// out by the first in. Source: github.com/aws/aws-ofi-nccl, src/nccl_ofi_scheduler.cpp. There
/// messages of less than 128 KiB take fewer, in turn.
std::vector<Fabric::Waypoints> Machine::stripes(const Ends& ends, int from, int to) const {
  Fabric::Waypoints by = waypoints(ends, from, to);
  const Topology& topology = scenario_->cluster.topology;
  const Host &source = topology.hosts()[location(from).host],
             &target = topology.hosts()[location(to).host];
  if (!ends.block.is_any() || &source == &target || !(source.joins_nics || target.joins_nics))
    return {std::move(by)};
  if (by.empty())
    for (const int id :
         topology
             .route(fabric_.buffer_locations(from).front(), fabric_.buffer_locations(to).front())
             .links)
      if (topology.graph()[topology.target_of(id)].kind == ComponentKind::nic)
        by.push_back(topology.target_of(id));
  if (by.size() < 2) return {std::move(by)};
  const auto joined_with = [&](const Host& host, Vertex nic) {
    for (const std::vector<int>& group : nccl::joined_nics(topology, host))
      for (const int one : group)
        if (host.nics[one] == nic) return group;
    return std::vector<int>{};
  };
  const std::vector<int> out = joined_with(source, by.end()[-2]),
                         in = joined_with(target, by.back());
  std::vector<Fabric::Waypoints> all(std::lcm(out.size(), in.size()), by);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].end()[-2] = source.nics[out[i % out.size()]];
    all[i].back() = target.nics[in[i % in.size()]];
  }
  return all;
}

Fabric::RouteUses Machine::striped_uses(const Ends& ends, int from, int to, bool engines,
                                        const RouteChoice& choice) const {
  Fabric::RouteUses all;
  all.stripes = 0;
  for (const Fabric::Waypoints& by : stripes(ends, from, to)) {
    const Fabric::RouteUses one = fabric_.route_uses(from, to, engines, by, choice);
    add_uses(all.uses, one.uses);
    all.latency = std::max(all.latency, one.latency);
    all.staged = all.staged || one.staged;
    ++all.stripes;
  }
  return all;
}

// Blocks write to their partner's memory themselves: no copy engine, no core and no handshake.
PairRoute Machine::make_block_route(int from, int to, Block block) {
  const BlockCosts& blocks = *scenario_->library.blocks;
  const ProtocolCosts& costs = blocks.costs(block.protocol);
  const bool leaves = location(from).host != location(to).host;
  const bool in_switch = block.by != Switch::passes_on && blocks.in_switch > 0 && !leaves;
  std::pair<Fabric::RouteUses, bool> between_hosts;
  auto& [found, nvlink] = leaves ? between_hosts : inside_[{from, to, block.by, block.together}];
  if (found.uses.empty()) {
    found =
        in_switch ? fabric_.switch_route_uses(from, to, block) : route_uses(from, to, false, block);
    nvlink = !leaves && scenario_->cluster.topology.nvlinked(fabric_.buffer_locations(from).front(),
                                                             fabric_.buffer_locations(to).front());
  }
  PairRoute route;
  route.way = way(from, to, found);
  const double carries = in_switch ? blocks.in_switch
                         : leaves  ? costs.carries_between_hosts
                         : nvlink  ? costs.carries
                                   : costs.carries_over_pcie;
  route.transport = leaves ? &costs.between_hosts : &costs.inside_host;
  // The messages of all channels of a rank pass the one thread of its process that serves NICs.
  // Source: NCCL 2.30.7, src/proxy.cc, ncclProxyProgress.
  if (leaves && !costs.between_hosts.message_gap.is_zero())
    for (const bool out : {true, false}) {
      const int rank = out ? from : orbits_.simulated_for(to);
      route.nic.push_back({message_time(jobs_.owned("proxy", rank), out), block.alike});
    }
  route.stands_for = block.alike;
  route.in_order = true;
  // Over an NVLink a hop is the block's own time, for each slice; elsewhere others' on the way.
  if (!nvlink && !in_switch) route.slices = block.slices;
  route.wire_per_byte = 1 / carries / (in_switch ? block.together : found.stripes);
  // Messages that are added up on the way are each sent; a copy is sent once for all.
  const int sent = in_switch && block.by == Switch::adds_up ? block.together : found.stripes;
  const auto all_uses = [&](const Uses& links) {
    Uses uses, memory, one = links;
    // Before they are those of all channels: weights are whole numbers.
    if (shares_gpus()) fabric_.scale_memories(one, carries * in_buffer(block.protocol, blocks));
    add_uses(uses, one, block.alike);
    add_block(uses, from, block, carries, sent);
    // Beside what passes through the buffers, a block reads or writes its rank's own data: NCCL's
    // authors, github.com/NVIDIA/nccl/issues/1428.
    if (shares_gpus()) add_memory(memory, from, carries * sent, 1);
    add_uses(uses, memory, block.alike);
    if (block.exchanges && !leaves)
      add_block(uses, orbits_.simulated_for(to), block, carries, sent, true);
    for (const bool out : {true, false})
      if (block.exchanges && leaves) add_exchange(uses, out ? from : to, block, carries, out, sent);
    return uses;
  };
  route.choices = choices({from, to, block}, false, found);
  for (ChosenRoute& one : route.choices) one.wire = all_uses(one.wire);
  return route;
}

void Machine::fold_channels(ChannelFold fold) {
  channel_fold_ = std::move(fold);
  for (auto& [ends, channel] : channels_) {
    if (!ends.block.is_any() || !channel_fold_.is_simulated(ends.block.channel)) continue;
    PairRoute& route = channel.route_;
    route.stands_for = channel_fold_.stands_for[ends.block.channel];
    const auto folded = [&](const Uses& all) {
      Uses uses;
      for (const Use& use : all) {
        const int resource = channel_fold_.resource(use.resource);
        add_use(uses, resource,
                resource == use.resource ? use.weight : use.weight * route.stands_for);
      }
      return uses;
    };
    route.choices.front().wire = folded(channel.wire());
    route.nic = folded(route.nic);
  }
}

}  // namespace ringscope::sim
