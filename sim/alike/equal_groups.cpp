// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/alike/equal_groups.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/view.hpp"

namespace ringscope::sim {
namespace {

using Members = std::vector<int>;

/// The group of these ranks, in any order; -1: none is known.
int group_of(const std::map<Members, int>& groups, Members ranks) {
  std::ranges::sort(ranks);
  const auto found = groups.find(ranks);
  return found == groups.end() ? -1 : found->second;
}

}  // namespace

std::string unequal_groups(const NcclGroups& groups, const Orbits& orbits) {
  const View<const KnownGroup> all = groups.known.all();
  std::map<Members, int> by_members;
  for (int i = 0; i < std::ssize(all); ++i) {
    Members members = all[i].ranks;
    std::ranges::sort(members);
    by_members.emplace(std::move(members), i);
  }
  const auto next = [&](int rank) { return (rank + orbits.simulated) % orbits.ranks; };
  for (std::size_t i = 0; i < all.size(); ++i) {
    Members moved = all[i].ranks;
    std::ranges::transform(moved, moved.begin(), next);
    const int other = group_of(by_members, moved);
    if (other < 0) return "groups of ranks, moved on, are none";
    const auto& there = all[static_cast<std::size_t>(other)].ranks;
    const auto &nics = groups.found[i]->nics, &moved_nics = groups.found[other]->nics;
    if (nics.size() != moved_nics.size()) return "NCCL's rings of groups are not as many";
    for (std::size_t place = 0; place < moved.size(); ++place) {
      const auto at = std::ranges::find(there, moved[place]) - there.begin();
      for (std::size_t channel = 0; channel < nics.size(); ++channel)
        if (nics[channel][place] != moved_nics[channel][at])
          return "NCCL's rings leave the hosts by different NICs";
    }
  }
  return "";
}

std::shared_ptr<const NcclGroups> renumbered(const NcclGroups& groups, const Orbits& orbits) {
  auto others = std::make_shared<NcclGroups>(groups);
  others->known = groups.known.renumbered(*orbits.places);
  return others;
}

}  // namespace ringscope::sim
