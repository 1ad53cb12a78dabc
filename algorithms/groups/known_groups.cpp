// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/groups/known_groups.hpp"

#include <algorithm>
#include <utility>

namespace ringscope {

void KnownGroups::add(KnownGroup group) {
  if (!by_ranks_.try_emplace(group.ranks, static_cast<int>(all_.size())).second) return;
  threads_ = std::max(threads_, group.threads);
  channels_of_message_ = std::max(channels_of_message_, group.channels_of_message);
  all_.push_back(std::move(group));
}

const KnownGroup* KnownGroups::find(const std::vector<int>& ranks) const {
  const auto found = by_ranks_.find(ranks);
  return found == by_ranks_.end() ? nullptr : &all_[found->second];
}

const KnownGroup* KnownGroups::named(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &KnownGroup::name);
  return found == all_.end() ? nullptr : &*found;
}

int KnownGroups::number(const KnownGroup& group, int stream) const {
  return 1 + static_cast<int>(&group - all_.data()) + stream * static_cast<int>(all_.size());
}

KnownGroups KnownGroups::renumbered(const Table<int>& places) const {
  KnownGroups others;
  for (KnownGroup group : all_) {
    for (int& rank : group.ranks) rank = places[rank];
    others.add(std::move(group));
  }
  return others;
}

}  // namespace ringscope
