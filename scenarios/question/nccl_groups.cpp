#include "scenarios/question/nccl_groups.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ringscope {
namespace {

/// Host of each rank by its number among those of the group, and its GPU there.
std::vector<int> numbered_hosts(const Placement& placement) {
  std::map<int, int> numbers;
  std::vector<int> hosts;
  for (const Location& where : placement.ranks)
    hosts.push_back(
        numbers.try_emplace(where.host, static_cast<int>(numbers.size())).first->second);
  return hosts;
}

/// Of each channel the first one with its ring and the same gates.
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
    for (const int rank : *group.ranks)
      own.ranks.push_back(placement.ranks[static_cast<std::size_t>(rank)]);
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
