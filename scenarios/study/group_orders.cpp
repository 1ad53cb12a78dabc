// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/study/place_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/programs/program.hpp"
#include "algorithms/training/llm/llm.hpp"
#include "algorithms/training/training.hpp"
#include "topologies/placement/places.hpp"

namespace ringscope {
namespace {

/// Number of the rank that stands in `to` where `rank` stands in `from`.
int rank_in(const Grid& to, const Grid& from, int rank) {
  int number = 0, stride = 1;
  for (const Dimension& one : to.dimensions()) {
    number += from.index(rank, one.name) * stride;
    stride *= one.size;
  }
  return number;
}

std::vector<Value> all_orders(const Grid& grid, const Place& place) {
  return each_of(nestings(grid),
                 [&](const Grid& one) { return Value::scalar_at(place, order_of(one)); });
}

/// The orders of a large model that keep its tensor groups, which exchange most, on neighbours,
/// where the job has them there and several orders do.
std::vector<Value> likely_orders(const Grid& grid, const Place& place) {
  std::vector<Value> all = all_orders(grid, place), likely;
  for (const Value& order : all)
    if (order.text().starts_with("tp-")) likely.push_back(order);
  return order_of(grid).starts_with("tp-") && likely.size() > 1 ? likely : all;
}

/// The orders that `said` asks for, of a job that has several.
std::vector<Value> asked_orders(const Value& said, const Grid& grid) {
  if (said.kind() == Value::Kind::list) {
    if (said.items().empty()) said.fail("expected at least one order such as tp-dp-pp, got none");
    return said.items();
  }
  static const std::string words[] = {"all", "own"};
  const std::string word = said.text();
  if (std::ranges::find(words, word) == std::end(words))
    said.fail("expected all, own, or a list of orders such as [tp-dp-pp, tp-pp-dp], got '{}'",
              word);
  return word == "all" ? all_orders(grid, said.place()) : std::vector<Value>{};
}

}  // namespace

const PlaceStudy& PlaceStudy::under(const std::string& order) const {
  const auto found = std::ranges::find(orders, order, &PlaceStudy::groups);
  return found == orders.end() ? *this : *found;
}

std::string packed_text(View<const Bin> bins, const Assignment& assignment) {
  std::vector<int> hosts;
  std::string text;
  bool in_order = true;
  for (std::size_t begin = 0, end = 0; begin < assignment.size(); begin = end) {
    const auto host_of = [&](std::size_t rank) { return bins[assignment[rank]].host; };
    while (end < assignment.size() && host_of(end) == host_of(begin)) ++end;
    in_order = in_order && host_of(begin) == (hosts.empty() ? 0 : hosts.back() + 1);
    hosts.insert(hosts.end(), end - begin, host_of(begin));
    text += fmt::format("{}{}x{}", text.empty() ? "" : " ", host_of(begin), end - begin);
  }
  return in_order ? counts_text(hosts) : text;
}

const Grid* groups_of(const Job& job) {
  if (job.training != nullptr && job.training->llm != nullptr) return &job.training->llm->grid;
  const programs::Program* program = programs::program_of(job.options);
  return program != nullptr && !program->grid.dimensions().empty() ? &program->grid : nullptr;
}

std::string order_of(const Grid& grid) {
  std::string order;
  for (const Dimension& one : grid.dimensions()) order += (order.empty() ? "" : "-") + one.name;
  return order;
}

std::vector<Grid> nestings(const Grid& grid) {
  const std::vector<Dimension>& own = grid.dimensions();
  std::vector<std::size_t> places, order;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (own[i].size > 1) places.push_back(i);
  std::vector<Grid> grids = {grid};
  order = places;
  while (std::ranges::next_permutation(order).found) {
    std::vector<Dimension> dimensions = own;
    for (std::size_t i = 0; i < places.size(); ++i) dimensions[places[i]] = own[order[i]];
    grids.emplace_back(std::move(dimensions));
  }
  return grids;
}

Assignment renumbered(const Assignment& assignment, const Grid& from, const Grid& to) {
  Assignment result;
  for (int rank = 0; rank < static_cast<int>(assignment.size()); ++rank)
    result.push_back(assignment[rank_in(from, to, rank)]);
  return result;
}

std::vector<Value> read_group_orders(Fields& place, PlaceStudy& study) {
  const Job& job = study.scenario.job;
  const Grid* grid = groups_of(job);
  const Value* said = place.optional("groups");
  if (grid == nullptr || !grid->by_order()) {
    if (said != nullptr && grid == nullptr)
      said->fail("the {} {} has no groups: a program has, such as llm", job.algorithm->collective,
                 job.algorithm->name);
    if (said != nullptr)
      said->fail("groups by lists have no order: give job.groups by their sizes, {tp: 8, pp: 2}");
    return {};
  }
  study.groups = order_of(*grid);
  if (!study.moves_freely()) {
    if (said != nullptr && (said->kind() == Value::Kind::list || said->text() != "own"))
      said->fail("where ranks stay, or are apart, the order of the groups stays: omit 'groups'");
    return {};
  }
  const Value* order = place.map().find("order");
  const bool anywhere = order != nullptr && order->text() == "any";
  if (said == nullptr) {
    const bool llm = job.training != nullptr && job.training->llm != nullptr;
    std::vector<Value> orders =
        llm ? likely_orders(*grid, place.map().place()) : all_orders(*grid, place.map().place());
    return anywhere || orders.size() == 1 ? std::vector<Value>{} : orders;
  }
  std::vector<Value> orders = asked_orders(*said, *grid);
  if (anywhere && !orders.empty())
    said->fail(
        "order 'any' puts every rank everywhere, and so in every order of the groups: leave "
        "one of them out");
  return orders;
}

void add_group_orders(PlaceStudy& study, const std::vector<Value>& orders) {
  KnownParts known;
  const PlaceStudy own = study;
  for (const Value& order : orders) {
    PlaceStudy one = own;
    one.groups = order.text();
    if (std::ranges::find(study.orders, one.groups, &PlaceStudy::groups) != study.orders.end())
      order.fail("duplicate order {}", one.groups);
    lay_over(one.tree, "job.groups.order", order);
    one.scenario = read_placed(one.tree, placements_of(own.scenario), known);
    one.name += " " + one.groups;
    study.orders.push_back(std::move(one));
  }
}

}  // namespace ringscope
