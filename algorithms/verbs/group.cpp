// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/verbs/group.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ringscope {
namespace {

/// B of data in a step's buffer: 512 threads with 8 lines of 16 B, half of them data; 640 threads
/// with 120 words of 8 B, 15 of 16 data; an eighth of 4 MiB.
constexpr std::array<std::size_t, protocol_names.size()> step_buffers = {
    512 * 8 * 16 / 2, 640 * 120 * 8 / 16 * 15, (4 << 20) / 8};

/// As the executor numbers it.
int rank_of(const SplitCall& call) {
  return call.parent == nullptr ? call.self : (*call.parent->ranks)[call.self];
}

bool before(const SplitCall* a, const SplitCall* b) {
  return std::tuple(a->colour, a->key, a->self) < std::tuple(b->colour, b->key, b->self);
}

void check_each_once(std::span<SplitCall* const> calls) {
  Table<bool> called(calls.size());
  for (const SplitCall* call : calls) {
    if (called[call->self])
      throw std::logic_error("rank " + std::to_string(call->self) +
                             " splits a communicator twice concurrently");
    called[call->self] = true;
  }
}

}  // namespace

Protocol protocol_named(std::string_view name) {
  const auto found = std::ranges::find(protocol_names, name);
  if (found == protocol_names.end()) return Protocol::simple;
  return static_cast<Protocol>(found - protocol_names.begin());
}

std::size_t chunk_items(Protocol protocol, std::size_t item_bytes, std::size_t steps) {
  const std::size_t bytes = step_buffers[static_cast<std::size_t>(protocol)];
  return std::max<std::size_t>(1, bytes * (protocol == Protocol::simple ? steps : 1) / item_bytes);
}

SharedRanks Group::numbers_of(const std::vector<int>& some) const {
  return std::make_shared<const Table<int>>(
      each_of(some, [&](int rank) { return (*ranks)[rank]; }));
}

std::vector<SharedRanks> parts_of(const Table<int>& ranks, const Sides& sides) {
  std::map<int, std::vector<std::pair<int, int>>> by_colour;  // key, place
  for (int place = 0; place < std::ssize(ranks); ++place) {
    const Side side = sides(place);
    by_colour[side.colour].emplace_back(side.key, place);
  }
  std::vector<SharedRanks> parts;
  for (auto& [colour, members] : by_colour) {
    std::ranges::sort(members);
    std::vector<int> part;
    for (const auto& [key, place] : members) part.push_back(ranks[place]);
    parts.push_back(std::make_shared<const Table<int>>(std::move(part)));
  }
  return parts;
}

void form_groups(std::span<SplitCall* const> calls, int context) {
  check_each_once(calls);
  std::vector<SplitCall*> sorted(calls.begin(), calls.end());
  std::ranges::sort(sorted, before);
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::find_if(first, sorted.end(), [&](const SplitCall* call) {
      return call->colour != (*first)->colour;
    });
    std::vector<int> ranks;
    for (auto call = first; call != last; ++call) ranks.push_back(rank_of(**call));
    const auto shared = std::make_shared<const Table<int>>(std::move(ranks));
    for (auto call = first; call != last; ++call)
      (*call)->group = std::make_shared<const Group>(
          Group{shared, static_cast<int>(call - first), (*call)->part, {0, context}});
    first = last;
  }
}

std::shared_ptr<const Group> KnownSplits::group_of(const SplitCall& asked, int base, int& next) {
  std::list<Split>& splits = splits_[splitting(asked, base)];
  auto split = std::ranges::find_if(
      splits, [&](const Split& one) { return one.groups[asked.self] != nullptr; });
  if (split == splits.end()) {
    Table<SplitCall> calls(asked.size, asked);
    std::vector<SplitCall*> all;
    for (int rank = 0; rank < asked.size; ++rank) {
      SplitCall& call = calls[rank];
      const Side side = (*asked.sides)(rank);
      call.colour = side.colour;
      call.key = side.key;
      call.self = rank;
      all.push_back(&call);
    }
    form_groups(all, ++next);
    split = splits.insert(splits.end(), Split{{}, asked.size});
    for (SplitCall& call : calls) split->groups.push_back(std::move(call.group));
  }
  std::shared_ptr<const Group> group = std::move(split->groups[asked.self]);
  if (--split->left == 0) splits.erase(split);
  return group;
}

}  // namespace ringscope
