// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers, times and sizes that a program's steps say: `2 ms`, `bucket / size(dp)`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "algorithms/programs/expression.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Kinds of values.
enum class Unit : std::uint8_t { plain, seconds, bytes };

struct Formula {
  programs::Expression expression;
  Unit unit = Unit::plain;
};

/// Names that formulas may use, where a step stands.
struct Scope {
  std::vector<std::string> kinds;  ///< of groups, by index
  std::map<std::string, Formula> values;
  std::vector<std::string> loops;  ///< index of each loop around it, by slot; "": it has none
};

/// Throws InputError.
Formula read_formula(const Value& value, const Scope& scope);

/// The same of one unit: constants are not negative. Throws InputError.
programs::Expression read_seconds(const Value& value, const Scope& scope);
programs::Expression read_bytes(const Value& value, const Scope& scope);
programs::Expression read_plain(const Value& value, const Scope& scope);

}  // namespace ringscope
