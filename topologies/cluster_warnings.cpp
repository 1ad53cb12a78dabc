// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/cluster_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topologies/graph/warnings.hpp"

namespace ringscope {
namespace {

bool is_text(const Value* value, std::string_view text) {
  return value != nullptr && value->kind() == Value::Kind::scalar && value->scalar() == text;
}

/// True where no two routes between hosts are equally short.
bool has_single_routes(const Cluster& cluster) {
  const Value* family = cluster.resolved.find("network");
  const bool tree = is_text(family, "star") || (is_text(family, "two_level") &&
                                                is_text(cluster.resolved.find("uplinks"), "1"));
  return tree && std::ranges::all_of(cluster.topology.hosts(),
                                     [](const Host& host) { return host.nics.size() < 2; });
}

/// Keys of a choice among routes, where there is one route.
std::vector<std::string> vain_choices(const Cluster& cluster) {
  std::vector<std::string> vain;
  for (const char* key : {"hash_seed", "routing"})
    if (cluster.resolved.find(key) != nullptr && has_single_routes(cluster))
      vain.push_back(fmt::format(
          "'{}' changes nothing: one route leads from each host to each other one", key));
  return vain;
}

std::vector<std::string> whole_shares(const Cluster& cluster) {
  const Value* degraded = cluster.resolved.find("degraded");
  if (degraded == nullptr) return {};
  for (const Value& one : degraded->items()) {
    const Value *link = one.find("link"), *share = one.find("share");
    if (link != nullptr && share != nullptr && share->number(0, 1) == 1)
      return {fmt::format(
          "'share: 1' leaves {} all of its bandwidth: 0 is a dead link, 0.5 one at half its rate",
          link->text())};
  }
  return {};
}

}  // namespace

std::vector<std::string> slips(const Cluster& cluster) {
  std::vector<std::string> found = slips(cluster.topology);
  for (const auto& more : {vain_choices(cluster), whole_shares(cluster)})
    found.insert(found.end(), more.begin(), more.end());
  return found;
}

std::vector<std::string> warnings(const Cluster& cluster) {
  std::vector<std::string> found = warnings(cluster.topology);
  const std::vector<std::string> more = slips(cluster);
  found.insert(found.end(), more.begin(), more.end());
  return found;
}

}  // namespace ringscope
