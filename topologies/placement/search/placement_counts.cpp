// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/search/enumeration.hpp"

namespace ringscope {
namespace {

/// Polynomials in x, whose powers count ranks.
using Polynomial = Table<Count>;

/// Beyond x^most nothing is asked for.
Polynomial product(const Polynomial& a, const Polynomial& b, int most) {
  if (a.empty() || b.empty()) return {};
  Polynomial result(std::min(most + 1, static_cast<int>(a.size() + b.size()) - 1));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size() && i + j < result.size(); ++j)
      if (a[i] != 0 && b[j] != 0) result[i + j] += a[i] * b[j];
  return result;
}

void add(Polynomial& sum, const Polynomial& other) {
  if (sum.size() < other.size()) sum.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) sum[i] += other[i];
}

Count factorial(int n) {
  Count result = 1;
  for (int i = 2; i <= n; ++i) result *= i;
  return result;
}

/// Sequences of n different cores, or, `ordered` being false, sets of them, for each n.
Polynomial cores(int capacity, bool ordered, int most) {
  Polynomial result = {1};
  for (int n = 1; n <= capacity && std::ssize(result) <= most; ++n) {
    Count next = result.back() * (capacity - n + 1);
    result.push_back(ordered ? next : next / n);
  }
  return result;
}

/// Ways to use a host that its rules leave.
Polynomial kept(Polynomial ways, const HostRoom& host, bool whole) {
  if (std::ssize(ways) > host.slots + 1) ways.resize(host.slots + 1);
  if (whole)
    for (int n = 1; n < std::ssize(ways); ++n)
      if (n != host.slots) ways[n] = 0;
  return ways;
}

/// Sets of cores of the host.
Polynomial sets_of(const HostRoom& host, const PlacementRules& rules) {
  Polynomial ways = {1};
  for (const int bin : host.bins) ways = product(ways, cores(bin, false, rules.ranks), rules.ranks);
  return kept(std::move(ways), host, rules.whole_hosts);
}

/// Sequences of cores of the host, bin after bin, the bins in any order; at least one.
Polynomial sequences_of(const HostRoom& host, const PlacementRules& rules) {
  std::vector<Polynomial> by_bins = {{1}};  // by the number of bins in use
  for (const int capacity : host.bins) {
    Polynomial used = cores(capacity, true, rules.ranks);
    used.front() = 0;
    by_bins.emplace_back();
    for (std::size_t bins = by_bins.size() - 1; bins > 0; --bins)
      add(by_bins[bins], product(by_bins[bins - 1], used, rules.ranks));
  }
  Polynomial ways;
  for (std::size_t bins = 1; bins < by_bins.size(); ++bins)
    add(ways, product(by_bins[bins], {factorial(static_cast<int>(bins))}, rules.ranks));
  return kept(std::move(ways), host, rules.whole_hosts);
}

/// Ways to use `hosts` equal hosts by the number in use: (1 + y f(x))^n is sum of C(n, k) y^k f^k.
std::vector<Polynomial> used_hosts(const Polynomial& one, int hosts, int ranks) {
  std::vector<Polynomial> ways = {{1}};
  Polynomial power = {1};
  Count choices = 1;
  for (int k = 1; k <= std::min(hosts, ranks); ++k) {
    power = product(power, one, ranks);
    choices = choices * (hosts - k + 1) / k;
    ways.push_back(product(power, {choices}, ranks));
  }
  return ways;
}

struct Group {
  HostRoom host;
  int hosts = 0;
};

std::vector<Group> groups_of(const std::vector<HostRoom>& hosts) {
  std::vector<Group> groups;
  for (const HostRoom& host : hosts) {
    if (host.slots == 0) continue;
    const auto found = std::ranges::find(groups, host, &Group::host);
    found == groups.end() ? groups.push_back({host, 1}) : static_cast<void>(++found->hosts);
  }
  return groups;
}

}  // namespace

// Any order: ranks! times the sets of cores. Fixed order: the hosts in use, k of them, come in any
// of k! orders.
Count count_placements(const std::vector<HostRoom>& hosts, const PlacementRules& rules) {
  const int most = rules.ranks;
  Count sum = 0;
  if (rules.order == RankOrder::any) {
    Polynomial ways = {1};
    for (const HostRoom& host : hosts)
      if (host.slots > 0) ways = product(ways, sets_of(host, rules), most);
    return std::ssize(ways) > most ? factorial(rules.ranks) * ways[most] : sum;
  }
  std::vector<Polynomial> ways = {{1}};
  for (const Group& group : groups_of(hosts)) {
    const auto more = used_hosts(sequences_of(group.host, rules), group.hosts, rules.ranks);
    Table<Polynomial> both(std::min(most + 1, static_cast<int>(ways.size() + more.size()) - 1));
    for (std::size_t k = 0; k < ways.size(); ++k)
      for (std::size_t l = 0; l < more.size() && k + l < both.size(); ++l)
        add(both[k + l], product(ways[k], more[l], most));
    ways = std::move(both);
  }
  for (std::size_t k = 0; k < ways.size(); ++k)
    if (std::ssize(ways[k]) > most) sum += factorial(static_cast<int>(k)) * ways[k][most];
  return sum;
}

}  // namespace ringscope
