// SPDX-License-Identifier: LGPL-2.1-or-later
// Orders in which the groups of a job are nested: which of its ranks are neighbours.
#pragma once

#include <string>
#include <vector>

#include "algorithms/steps/grid.hpp"
#include "base/view.hpp"
#include "scenarios/study/place_study.hpp"

namespace ringscope {

/// The job's groups; null: it has none.
const Grid* groups_of(const Job& job);

/// "tp-dp-pp", innermost first. Requires groups by an order.
std::string order_of(const Grid& grid);

/// The grid in each order of the kinds that have several ranks; the others stay where they are, and
/// the grid itself comes first. Requires groups by an order.
std::vector<Grid> nestings(const Grid& grid);

/// The same job on the same bins: its ranks, which `from` numbers, numbered as `to` does. Requires
/// grids that differ in their order alone.
Assignment renumbered(const Assignment& assignment, const Grid& from, const Grid& to);

/// Words for packed placements: "4-3-1" on the first hosts in their order; else the ranks of each
/// host, one after the other: "1x4 0x3".
std::string packed_text(View<const Bin> bins, const Assignment& assignment);

/// Reads `groups` of the map `place`: the orders to be tried, and in `study` the scenario's own.
/// Nothing where that one alone is tried. Throws InputError.
std::vector<Value> read_group_orders(Fields& place, PlaceStudy& study);

/// Adds to the study, whose rules are read, itself under each of these orders. Throws InputError.
void add_group_orders(PlaceStudy& study, const std::vector<Value>& orders);

}  // namespace ringscope
