// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/steps/host_order.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace ringscope {
namespace {

/// `ranks` with `first` in front.
SharedRanks led_by(int first, const SharedRanks& ranks) {
  if (ranks->front() == first) return ranks;
  auto led = std::make_shared<Table<int>>(*ranks);
  std::rotate(led->begin(), std::ranges::find(*led, first), led->end());
  return led;
}

/// The leaders with `root` in place of its host's, in front.
SharedRanks leaders_with(int root, const HostGroups& groups) {
  if (groups.leaders->front() == root) return groups.leaders;
  auto leaders = std::make_shared<Table<int>>(*groups.leaders);
  const auto host = groups.host_of[root];
  (*leaders)[host] = root;
  return led_by(root, leaders);
}

}  // namespace

std::vector<std::vector<int>> ranks_by_host(int ranks, const std::vector<int>* hosts) {
  assert(hosts == nullptr || std::ssize(*hosts) >= ranks);
  const View<const int> known = hosts == nullptr ? View<const int>() : *hosts;
  std::vector<std::vector<int>> groups;
  std::map<int, std::size_t> index;
  for (int rank = 0; rank < ranks; ++rank) {
    const int host = hosts == nullptr ? rank : known[rank];
    const auto [found, is_new] = index.try_emplace(host, groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(rank);
  }
  return groups;
}

HostGroups::HostGroups(int ranks, const std::vector<int>* hosts_of_ranks) : host_of(ranks) {
  std::vector<int> first;
  for (std::vector<int>& group : ranks_by_host(ranks, hosts_of_ranks)) {
    first.push_back(group.front());
    for (const int rank : group) host_of[rank] = static_cast<int>(hosts.size());
    hosts.push_back(std::make_shared<const Table<int>>(std::move(group)));
  }
  leaders = std::make_shared<const Table<int>>(std::move(first));
  const auto size = [](const SharedRanks& host) { return host->size(); };
  if (std::ranges::adjacent_find(hosts, std::ranges::not_equal_to(), size) != hosts.end()) return;
  for (std::size_t number = 0; !hosts.empty() && number < hosts.front()->size(); ++number) {
    std::vector<int> rail;
    for (const SharedRanks& host : hosts) rail.push_back((*host)[number]);
    rails.push_back(std::make_shared<const Table<int>>(std::move(rail)));
  }
}

std::shared_ptr<const HostGroups> host_groups(int ranks, const Options& options) {
  const HostGroups* ready = options.given.by_host;
  if (ready != nullptr && std::ssize(ready->host_of) == ranks)
    return {std::shared_ptr<void>(), ready};  // its owner keeps it
  return std::make_shared<const HostGroups>(ranks, options.given.hosts);
}

std::vector<int> ring_order(const std::vector<std::vector<int>>& hosts, int ring, int rings) {
  std::vector<int> order;
  for (const std::vector<int>& host : hosts) {
    const std::int64_t first = std::int64_t{std::ssize(host)} * ring / rings;
    order.insert(order.end(), host.begin() + first, host.end());
    order.insert(order.end(), host.begin(), host.begin() + first);
  }
  return order;
}

Levels levels_of(Communicator comm, const Options& options, int root, int tag) {
  const auto groups = host_groups(comm.size(), options);
  const auto host_of = [&](int rank) { return groups->host_of[rank]; };
  const SharedRanks& mine = groups->hosts[host_of(comm.rank())];
  const int leader = host_of(comm.rank()) == host_of(root) ? root : mine->front();
  Levels levels = {comm.group(led_by(leader, mine), "inside hosts", tag), {}};
  if (comm.rank() == leader)
    levels.between = comm.group(leaders_with(root, *groups), "between hosts", tag);
  return levels;
}

Rails rails_of(Communicator comm, const Options& options) {
  const auto groups = host_groups(comm.size(), options);
  if (groups->rails.empty()) return {comm.among({comm.rank()}, "inside hosts"), comm};
  const int host = groups->host_of[comm.rank()];
  const SharedRanks& mine = groups->hosts[host];
  const auto number = std::ranges::find(*mine, comm.rank()) - mine->begin();
  return {comm.group(mine, "inside hosts"), comm.group(groups->rails[number], "between hosts")};
}

Options below(Options options) {
  options.given.hosts = nullptr;
  options.given.by_host = nullptr;
  options.inside = options.between = Options{}.inside;
  options.root = 0;
  return options;
}

const Algorithm& find_part(std::string_view collective, std::string_view name) {
  const Algorithm* algorithm = find_algorithm(collective, name);
  if (algorithm == nullptr)
    throw std::invalid_argument("no " + std::string(collective) + " has the name " +
                                std::string(name));
  return *algorithm;
}

const Algorithm& binomial_spread() { return find_part("broadcast", "binomial"); }

Task run_part(const Algorithm& algorithm, Communicator comm, Workspace work, Options options) {
  work.scratch = work.scratch.first(algorithm.scratch_items(comm.size(), work.data.size, options));
  return algorithm.run(comm, work, options);
}

Task run_levels(Levels levels, LevelParts parts, Workspace work, Options part) {
  if (parts.begin != nullptr) co_await run_part(*parts.begin, levels.inside, work, part);
  if (levels.between) co_await run_part(parts.between, *levels.between, work, part);
  co_await run_part(parts.end, levels.inside, work, part);
}

Cost levels_cost(const HostGroups& groups, std::size_t items, const Options& part,
                 const LevelParts& parts) {
  const auto& [begin, between, end] = parts;
  Cost sum = between.cost(static_cast<int>(groups.hosts.size()), items, part);
  std::int64_t before = INT64_MAX, after = INT64_MAX;
  for (const SharedRanks& host : groups.hosts) {
    const int size = static_cast<int>(host->size());
    const Cost in = begin == nullptr ? Cost{} : begin->cost(size, items, part);
    const Cost back = end.cost(size, items, part);
    before = std::min(before, in.steps);
    after = std::min(after, back.steps);
    sum.messages += in.messages + back.messages;
    sum.items += in.items + back.items;
  }
  sum.steps += before + after;
  return sum;
}

std::size_t levels_scratch_items(const HostGroups& groups, std::size_t items, const Options& part,
                                 const LevelParts& parts) {
  const auto& [begin, between, end] = parts;
  std::size_t most = between.scratch_items(static_cast<int>(groups.hosts.size()), items, part);
  for (const SharedRanks& host : groups.hosts) {
    const int size = static_cast<int>(host->size());
    if (begin != nullptr) most = std::max(most, begin->scratch_items(size, items, part));
    most = std::max(most, end.scratch_items(size, items, part));
  }
  return most;
}

}  // namespace ringscope
