// SPDX-License-Identifier: LGPL-2.1-or-later
// Length of an instant: what happens closer together happens at once.
//
// Dates that are equal on paper differ in the last digits of a double, by how they were reckoned.
// A kernel that took these digits for an order would answer by them. So an instant begins with the
// first thing that is due, and holds all that is due within a billionth of a thousandth of the
// date.
#pragma once

namespace ringscope::sim {

/// Relative to the date at which it begins, so that time can be counted in any unit.
constexpr double instant_width = 1e-12;

constexpr double end_of_instant(double begin) { return begin * (1 + instant_width); }

}  // namespace ringscope::sim
