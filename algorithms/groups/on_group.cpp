// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/groups/on_group.hpp"

namespace ringscope {
namespace {

Task exchange_in_turn(Communicator group, GroupMessage message, Options options,
                      std::optional<MessageTurn> turn) {
  if (turn && turn->before > 0) co_await group.reach(turn->flag, turn->before);
  std::vector<GroupMessage> alone(1, message);
  co_await communicator_of(group, options)->exchange(group, std::move(alone), options);
  if (turn) group.raise(turn->flag);
}

std::vector<int> ranks_in_all(Communicator group) {
  if (group.ranks_in_all() != nullptr) return *group.ranks_in_all();
  return numbers_below(group.size());
}

Task run_on_group(Communicator group, const Algorithm* algorithm, Workspace work, Options options) {
  const GroupCall call = group.call_of(algorithm, work.data.size);
  if (group.may_know(call) && co_await group.meet(call) == 1) co_return;
  const KnownGroup* known = communicator_of(group, options);
  const std::vector<int>* hosts_of_all = options.given.hosts;
  options = known != nullptr ? options_of(*known, options) : without_hosts(options);
  std::vector<int> hosts;
  if (known != nullptr) {
    group = group.numbered(options.given.groups->number(*known, options.given.stream));
  } else if (hosts_of_all != nullptr) {
    for (const int rank : ranks_in_all(group))
      hosts.push_back((*hosts_of_all)[static_cast<std::size_t>(rank)]);
    options.given.hosts = &hosts;
  }
  // A simulation alone knows communicators, and has no data: nobody counts the space that channels
  // need beside that of one.
  const std::size_t scratch = algorithm->scratch_items(group.size(), work.data.size, options);
  work.scratch = {work.scratch.buffer, work.scratch.offset, scratch};
  co_await algorithm->run(group, work, options);
  group.has_ended(call);
}

/// Whether its scratch space depends on which ranks share a host: four ranks on one, two or four
/// show it.
bool goes_by_hosts(const Algorithm& algorithm, std::size_t items, Options options) {
  const std::vector<int> together = {0, 0, 0, 0}, in_pairs = {0, 0, 1, 1};
  options.given.hosts = nullptr;
  const std::size_t apart = algorithm.scratch_items(4, items, options);
  return std::ranges::any_of(std::array{&together, &in_pairs}, [&](const std::vector<int>* hosts) {
    options.given.hosts = hosts;
    return algorithm.scratch_items(4, items, options) != apart;
  });
}

}  // namespace

Request post_message(Communicator group, const GroupMessage& message) {
  return message.sends ? group.isend(message.range, message.peer, message.tag)
                       : group.irecv(message.range, message.peer, message.tag);
}

bool goes_by_blocks(Communicator group, const Options& options) {
  return communicator_of(group, options) != nullptr;
}

Task exchange_messages(Communicator group, std::vector<GroupMessage> messages, Options options) {
  if (messages.empty()) co_return;
  if (const KnownGroup* known = communicator_of(group, options)) {
    co_await known->exchange(group, std::move(messages), options);
    co_return;
  }
  std::vector<Request> requests;
  for (const GroupMessage& one : messages) requests.push_back(post_message(group, one));
  co_await group.wait_all(requests);
}

MessageUnderWay begin_message(Communicator group, GroupMessage message, const Options& options,
                              std::optional<MessageTurn> turn) {
  if (!goes_by_blocks(group, options)) return {.request = post_message(group, message)};
  return {.thread =
              group.start(exchange_in_turn(group.beside(Beside::thread), message, options, turn),
                          Beside::thread)};
}

Task end_message(Communicator group, MessageUnderWay message) {
  if (message.thread.index >= 0)
    co_await group.join(message.thread);
  else
    co_await group.wait(message.request);
}

int threads_of_messages(const Options& options, int at_once) {
  return options.given.groups != nullptr ? at_once * options.given.groups->channels_of_message()
                                         : 0;
}

Options without_hosts(Options options) {
  const Environment& all = options.given;
  options.given = {.item_bytes = all.item_bytes, .groups = all.groups, .stream = all.stream};
  return options;
}

const KnownGroup* communicator_of(Communicator group, const Options& options) {
  if (options.given.groups == nullptr) return nullptr;
  const std::vector<int>* some = group.ranks_in_all();
  return options.given.groups->find(some != nullptr ? *some : ranks_in_all(group));
}

Options options_of(const KnownGroup& known, Options options) {
  options = without_hosts(options);
  options.given.hosts = &known.hosts;
  options.given.orders = known.orders;
  options.given.nccl = known.machine;
  options.given.like = known.like;
  return options;
}

Options options_of_group(Options options, std::string_view name) {
  const KnownGroups* groups = options.given.groups;
  const KnownGroup* known = groups != nullptr ? groups->named(name) : nullptr;
  return known != nullptr ? options_of(*known, options) : without_hosts(options);
}

int threads_of_groups(const Options& options, int streams) {
  return options.given.groups != nullptr ? streams * (options.given.groups->threads() - 1) : 0;
}

Task on_group(Communicator group, const Algorithm& algorithm, Workspace work, Options options) {
  return run_on_group(group, &algorithm, work, options);
}

// Collectives of several levels depend on hosts: as many ranks on each, or all on one and some left
// out.
std::size_t scratch_on_group(const Algorithm& algorithm, int ranks, std::size_t items,
                             Options options) {
  constexpr int most_on_host = 64;
  options = without_hosts(options);
  std::size_t most = algorithm.scratch_items(ranks, items, options);
  if (!goes_by_hosts(algorithm, items, options)) return most;
  for (int on_host = 1; on_host <= std::min(ranks, most_on_host); ++on_host) {
    std::vector<int> hosts;
    for (int rank = 0; rank < ranks; ++rank) hosts.push_back(rank / on_host);
    options.given.hosts = &hosts;
    most = std::max(most, algorithm.scratch_items(ranks, items, options));
    hosts.assign(static_cast<std::size_t>(on_host), 0);
    most = std::max(most, algorithm.scratch_items(on_host, items, options));
  }
  return most;
}

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
