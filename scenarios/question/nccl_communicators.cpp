// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/nccl_communicators.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "nccl/groups/block_messages.hpp"
#include "nccl/groups/communicators.hpp"
#include "nccl/logs/read_channels.hpp"

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

/// Host of each rank by its number among those of the group.
std::vector<int> numbered_hosts(const Placement& placement) {
  std::map<int, int> numbers;
  return each_of(placement.ranks, [&](const Location& where) {
    return numbers.try_emplace(where.host, static_cast<int>(numbers.size())).first->second;
  });
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
  if (const auto& blocks = library.blocks) {
    const nccl::Platform installed = {.generation = blocks->generation,
                                      .version = blocks->version,
                                      .nic_latency = 1e6 * blocks->nic_latency.count(),
                                      .issue = blocks->issue.count()};
    parts.machine = std::make_shared<const nccl::Platform>(
        nccl::machine_of(*found, installed, blocks->in_switch > 0));
  }
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
    all->likes.push_back(
        std::make_shared<const std::vector<int>>(nccl::first_equal_channels(*parts.rings)));
    all->known.add({.name = group.name,
                    .ranks = *group.ranks,
                    .hosts = numbered_hosts(own),
                    .machine = parts.machine.get(),
                    .orders = &parts.rings->rings,
                    .like = all->likes.back().get(),
                    .threads = nccl::most_threads(*parts.machine),
                    .channels_of_message = nccl::channels_of_message(*parts.machine),
                    .exchange = exchange_by_blocks});
    all->machines.push_back(std::move(parts.machine));
    all->found.push_back(std::move(parts.rings));
  }
  return all;
}

bool is_by_nccl(const Value& job) {
  const Value* name = job.kind() == Value::Kind::map ? job.find("algorithm") : nullptr;
  return name != nullptr && name->kind() == Value::Kind::scalar && name->scalar() == "nccl";
}

Value on_gpus(const Value& placement, const Value& job, const Library& library,
              const Topology& topology) {
  const bool is_counts = placement.kind() == Value::Kind::scalar;
  Value map = is_counts ? Value::empty_map_at(placement.place()) : placement;
  if (is_counts) map.set("hosts", placement);
  const bool says_hosts_alone = map.kind() == Value::Kind::map && map.find("hosts") != nullptr &&
                                map.find("on") == nullptr && map.find("bind") == nullptr;
  if (!says_hosts_alone || !is_by_nccl(job) || !library.blocks ||
      topology.hosts().front().gpus.empty())
    return placement;
  map.set("on", Value::scalar_at(placement.place(), "gpu"));
  return map;
}

}  // namespace ringscope
