// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/groups/nccl_groups.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ringscope::nccl {
namespace {

/// Sends and receives take channels by a power of two.
int threads_of(const Machine& machine) {
  const int most = std::max(
      {machine.most, machine.nvls_channels, 2 * machine.inside.count, 2 * machine.between.count});
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(most)));
}

}  // namespace

void Groups::add(GroupChannels group) {
  if (!by_ranks_.try_emplace(group.ranks, all_.size()).second) return;
  const int threads = threads_of(*group.machine);
  const auto of_pair = static_cast<unsigned>(std::max(1, group.machine->peer_channels));
  threads_ = std::max(threads_, threads);
  channels_of_message_ =
      std::max(channels_of_message_, std::min(threads, static_cast<int>(std::bit_ceil(of_pair))));
  all_.push_back(std::move(group));
}

const GroupChannels* Groups::find(const std::vector<int>& ranks) const {
  const auto found = by_ranks_.find(ranks);
  return found == by_ranks_.end() ? nullptr : &all_[found->second];
}

const GroupChannels* Groups::named(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &GroupChannels::name);
  return found == all_.end() ? nullptr : &*found;
}

int Groups::number(const GroupChannels& group, int stream) const {
  return 1 + static_cast<int>(&group - all_.data()) + stream * static_cast<int>(all_.size());
}

Groups Groups::renumbered(const std::vector<int>& places) const {
  Groups others;
  for (GroupChannels group : all_) {
    for (int& rank : group.ranks) rank = places[static_cast<std::size_t>(rank)];
    others.add(std::move(group));
  }
  return others;
}

}  // namespace ringscope::nccl
