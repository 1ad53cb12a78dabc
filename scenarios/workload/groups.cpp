// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

const std::vector<std::string> kinds = {"tp", "cp", "dp", "pp"};

bool is_list(const Value* value) { return value != nullptr && value->kind() == Value::Kind::list; }

/// "tp-cp-dp-pp" in its parts, each kind once; cp may be left out where there are no such groups.
std::vector<std::string> read_order(const Value& value, bool context) {
  const std::string text = value.text();
  std::vector<std::string> order;
  for (const std::string_view name : split(text, '-')) {
    if (std::ranges::find(kinds, name) == kinds.end())
      value.fail("expected an order such as tp-dp-pp, innermost first: {}",
                 unknown_name("group", name, kinds));
    if (std::ranges::find(order, name) != order.end())
      value.fail("expected each of tp, cp, dp and pp once, got {} twice in '{}'", name, text);
    order.emplace_back(name);
  }
  for (const std::string& kind : kinds)
    if (std::ranges::find(order, kind) == order.end() && (kind != "cp" || context))
      value.fail("expected an order of tp, {}dp and pp, got '{}', which lacks {}",
                 context ? "cp, " : "", text, kind);
  return order;
}

Grid by_rule(Fields& fields, int ranks) {
  const bool context = fields.map().find("cp") != nullptr;
  const Value& said_order = fields.value_or("order", context ? "tp-cp-dp-pp" : "tp-dp-pp");
  const std::vector<std::string> order = read_order(said_order, context);
  std::vector<Dimension> dimensions;
  for (const std::string& kind : order) dimensions.push_back({kind, 1});
  std::int64_t product = 1;
  std::string said;
  const Value* data = fields.optional("dp");
  for (Dimension& one : dimensions) {
    if (one.name == "dp" && data == nullptr) continue;
    const Value& value = fields.value_or(one.name, "1");
    one.size = static_cast<int>(value.integer(1, ranks));
    product *= one.size;
    said += fmt::format("{}{} {}", said.empty() ? "" : " x ", one.name, one.size);
  }
  if (data != nullptr ? product != ranks : ranks % product != 0)
    suspect_in(fields.map())
        .fail("{} {} {} ranks, and the placement has {}{}", said,
              data != nullptr ? "are" : "make replicas of", product, ranks,
              data != nullptr ? ": omit dp, it has the remaining ranks" : "");
  for (Dimension& one : dimensions) {
    if (one.name == "dp" && data == nullptr) one.size = static_cast<int>(ranks / product);
    fields.resolve(one.name, Value::scalar_at(fields.map().place(), std::to_string(one.size)));
  }
  return Grid(std::move(dimensions));
}

using Lists = std::vector<std::vector<int>>;

/// Groups of one size that hold each rank once.
Lists read_lists(const Value& value, const std::string& kind, int ranks) {
  if (!is_list(&value))
    value.fail(
        "groups are either all lists, or all sizes: expected a list of groups such "
        "as [[0, 1], [2, 3]] for {}",
        kind);
  Lists lists;
  std::set<int> seen;
  for (const Value& group : value.items()) {
    if (!is_list(&group)) group.fail("expected a group, a list of ranks such as [0, 1]");
    lists.emplace_back();
    for (const Value& rank : group.items()) {
      lists.back().push_back(static_cast<int>(rank.integer(0, ranks - 1)));
      if (!seen.insert(lists.back().back()).second)
        rank.fail("duplicate rank {} in the groups of {}", lists.back().back(), kind);
    }
    if (lists.back().size() != lists.front().size())
      group.fail("expected a group of {} ranks, as the first one of {} has, got {}",
                 lists.front().size(), kind, lists.back().size());
  }
  for (int rank = 0; rank < ranks; ++rank)
    if (!seen.contains(rank)) value.fail("rank {} is in no group of {}", rank, kind);
  return lists;
}

/// Ranks of a group differ in nothing but their place in it.
void require_grid(const Value& map, const std::vector<Lists>& groups,
                  const std::vector<Dimension>& dimensions, const Table<std::vector<int>>& places) {
  for (std::size_t kind = 0; kind < groups.size(); ++kind)
    for (const std::vector<int>& group : groups[kind])
      for (const int rank : group)
        for (std::size_t other = 0; other < groups.size(); ++other) {
          if (other == kind) continue;
          const auto place = [&](int of) { return places[of][other]; };
          if (place(rank) != place(group.front()))
            map.fail(
                "expected the ranks of a {0} group at one place of their {1} groups, got rank {2} "
                "at place {3} and rank {4} at place {5}",
                dimensions[kind].name, dimensions[other].name, group.front(), place(group.front()),
                rank, place(rank));
        }
}

Grid by_lists(Fields& fields, int ranks) {
  if (const Value* order = fields.optional("order"))
    order->fail("groups by lists have no order: omit it");
  std::vector<Lists> groups;
  std::vector<Dimension> dimensions;
  std::int64_t product = 1;
  for (const std::string& kind : kinds) {
    const Value* value = fields.optional(kind);
    if (value == nullptr) continue;
    groups.push_back(read_lists(*value, kind, ranks));
    dimensions.push_back({kind, static_cast<int>(groups.back().front().size())});
    product *= dimensions.back().size;
  }
  if (product != ranks) {
    std::vector<std::string> sizes = each_of(
        dimensions, [](const Dimension& one) { return fmt::format("{} {}", one.name, one.size); });
    suspect_in(fields.map())
        .fail("expected groups whose sizes multiply to {} ranks, got {} = {}: give lists of dp too",
              ranks, fmt::join(sizes, " x "), product);
  }
  Table<std::vector<int>> places(ranks, std::vector<int>(groups.size()));
  for (std::size_t kind = 0; kind < groups.size(); ++kind)
    for (const std::vector<int>& group : groups[kind])
      for (std::size_t i = 0; i < group.size(); ++i) places[group[i]][kind] = static_cast<int>(i);
  require_grid(fields.map(), groups, dimensions, places);
  if (std::set<std::vector<int>>(places.begin(), places.end()).size() != places.size())
    fields.map().fail("two ranks are at the same place of all their groups");
  return Grid(std::move(dimensions), std::move(places));
}

}  // namespace

Grid read_groups(Fields& job, int ranks) {
  Fields fields(job.value_or("groups", "{}"), "job.groups");
  const bool lists = std::ranges::any_of(
      kinds, [&](const std::string& kind) { return is_list(fields.optional(kind)); });
  Grid grid = lists ? by_lists(fields, ranks) : by_rule(fields, ranks);
  if (const Value* experts = fields.optional("ep")) {
    const int data = grid.size("dp");
    grid.cut_experts(static_cast<int>(experts->integer(1, ranks)));
    if (data % grid.expert_size() != 0)
      experts->fail("expert groups split the dp groups: {} ranks do not split into parts of {}",
                    data, grid.expert_size());
  }
  fields.finish();
  job.resolve("groups", fields.resolved());
  return grid;
}

}  // namespace ringscope
