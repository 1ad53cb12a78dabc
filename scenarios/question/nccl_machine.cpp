// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/nccl_machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "topologies/imports/rings/nccl_channels.hpp"

namespace ringscope {
namespace {

/// GPUs of the ranks, in the ranks' order, each once; none where a rank is on a core.
std::vector<nccl::GpuPlace> gpus_of(const Placement& placement) {
  std::vector<nccl::GpuPlace> places;
  std::set<nccl::GpuPlace> taken;
  for (const Location& where : placement.ranks) {
    if (where.gpu < 0) return {};
    if (taken.insert({where.host, where.gpu}).second) places.push_back({where.host, where.gpu});
  }
  return places;
}

/// Channels of sends from a rank to another. Source: NCCL 2.30.7, src/graph/paths.cc,
/// ncclTopoGetNchannels: two for each NVLink between the two, one for each 14 GB/s of a NIC.
int peer_channels(const nccl::HostGraph& host) {
  constexpr int of_pcie = 2;
  constexpr double of_network = 14;  // GB/s
  int least = std::numeric_limits<int>::max();
  for (std::size_t from = 0; from < host.gpus.size(); ++from) {
    for (std::size_t to = 0; to < host.gpus.size(); ++to) {
      if (from == to) continue;
      const nccl::Way& way = host.to_gpu[from][to];
      const bool nvlink = way.distance <= nccl::Distance::nvlink_relay;
      const int links = static_cast<int>(way.rate / nccl::one_nvlink(host.generation));
      least = std::min(least, nvlink ? 2 * std::max(1, links) : of_pcie);
    }
    double fastest = 0;
    for (const nccl::Way& way : host.to_port[from]) fastest = std::max(fastest, way.rate);
    if (host.several_hosts && fastest > 0)
      least = std::min(least, std::max(1, static_cast<int>(std::ceil(fastest / of_network))));
  }
  return least == std::numeric_limits<int>::max() ? of_pcie : least;
}

std::shared_ptr<const nccl::Machine> machine_of(const BlockCosts& blocks,
                                                const nccl::JobChannels& found) {
  auto machine = std::make_shared<nccl::Machine>();
  machine->generation = blocks.generation;
  machine->version = blocks.version;
  machine->issue = blocks.issue.count();
  const nccl::Found& first = found.hosts.front().found->channels.ring;
  nccl::Channels inside{static_cast<int>(first.channels.size()), first.inside};
  double outside = first.outside;
  auto farthest = first.farthest_gpu;
  for (const nccl::HostShare& host : found.hosts) {
    const nccl::Found& ring = host.found->channels.ring;
    inside.count = std::min(inside.count, static_cast<int>(ring.channels.size()));
    inside.each = std::min(inside.each, ring.inside);
    outside = std::min(outside, ring.outside);
    farthest = std::max(farthest, ring.farthest_gpu);
  }
  machine->nvlink = farthest <= nccl::Distance::nvlink_relay;
  machine->inside = inside;
  // Source: NCCL 2.30.7, src/graph/tuning.cc, ncclTopoTuneModel.
  constexpr std::size_t few_hosts = 2;
  machine->between = {inside.count, found.hosts.size() <= few_hosts ? inside.each : outside};
  machine->most = static_cast<int>(found.rings.size());
  if (blocks.in_switch > 0 && found.multicast > 0) {
    machine->nvls_channels = found.multicast;
    const nccl::Found& heads = found.hosts.front().found->channels.multicast;
    machine->heads = {static_cast<int>(heads.channels.size()), heads.inside};
    machine->heads_between = heads.outside;
    for (const nccl::HostShare& host : found.hosts) {
      const nccl::Found& one = host.found->channels.multicast;
      machine->heads.count = std::min(machine->heads.count, static_cast<int>(one.channels.size()));
      machine->heads.each = std::min(machine->heads.each, one.inside);
      machine->heads_between = std::min(machine->heads_between, one.outside);
    }
  }
  machine->peer_channels = peer_channels(found.hosts.front().found->graph);
  return machine;
}

/// Host of each rank by its number among those of the group.
std::vector<int> numbered_hosts(const Placement& placement) {
  std::map<int, int> numbers;
  std::vector<int> hosts;
  for (const Location& where : placement.ranks)
    hosts.push_back(
        numbers.try_emplace(where.host, static_cast<int>(numbers.size())).first->second);
  return hosts;
}

/// The first channel with the ring and the gates of each.
std::vector<int> first_alike(const nccl::JobChannels& found) {
  std::vector<int> like;
  for (std::size_t channel = 0; channel < found.rings.size(); ++channel) {
    std::size_t first = 0;
    while (found.rings[first] != found.rings[channel] ||
           (!found.gates.empty() && found.gates[first] != found.gates[channel]))
      ++first;
    like.push_back(static_cast<int>(first));
  }
  return like;
}

}  // namespace

NcclParts nccl_parts(const Topology& topology, const Placement& placement, const Library& library,
                     const std::optional<Value>& file, KnownParts& known) {
  const std::vector<nccl::GpuPlace> gpus = gpus_of(placement);
  const bool own_gpus = !gpus.empty() && gpus.size() == placement.ranks.size();
  if (file && !own_gpus) file->fail("NCCL's rings are for ranks that have a GPU each");
  if (gpus.size() < 2) return {};
  const auto of_host = [&](const nccl::HostGraph& host) { return known.channels(host); };
  auto found = std::make_shared<const nccl::JobChannels>(
      file ? read_channels(channels_source(*file), topology, gpus, of_host)
           : nccl::find_channels(topology, gpus, of_host));
  NcclParts parts;
  if (library.blocks) parts.machine = machine_of(*library.blocks, *found);
  if (own_gpus) parts.rings = std::move(found);
  return parts;
}

bool has_nccl_groups(const Placement& placement, const Library& library) {
  std::set<std::pair<int, int>> taken;
  return library.blocks && std::ranges::all_of(placement.ranks, [&](const Location& where) {
           return where.gpu >= 0 && taken.insert({where.host, where.gpu}).second;
         });
}

std::shared_ptr<const NcclGroups> nccl_groups(const Topology& topology, const Placement& placement,
                                              const Library& library,
                                              const std::vector<RankGroup>& groups,
                                              KnownParts& known) {
  auto all = std::make_shared<NcclGroups>();
  for (const RankGroup& group : groups) {
    if (group.ranks->size() < 2 || all->known.find(*group.ranks) != nullptr) continue;
    Placement own = placement;
    own.ranks.clear();
    for (const int rank : *group.ranks) own.ranks.push_back(placement.ranks[rank]);
    NcclParts parts = nccl_parts(topology, own, library, {}, known);
    all->likes.push_back(std::make_shared<const std::vector<int>>(first_alike(*parts.rings)));
    all->known.add({.name = group.name,
                    .ranks = *group.ranks,
                    .hosts = numbered_hosts(own),
                    .machine = parts.machine.get(),
                    .orders = &parts.rings->rings,
                    .like = all->likes.back().get()});
    all->machines.push_back(std::move(parts.machine));
    all->found.push_back(std::move(parts.rings));
  }
  return all;
}

}  // namespace ringscope
