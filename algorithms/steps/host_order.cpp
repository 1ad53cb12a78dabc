// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/steps/host_order.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>

namespace ringscope {

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

}  // namespace ringscope
