// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks of a program that need no clock, and its sums.
#pragma once

#include <fmt/core.h>

#include <stdexcept>

#include "algorithms/programs/program.hpp"

namespace ringscope::programs {

/// A fault of a step, by its number.
class Unsound : public std::runtime_error {
 public:
  template <typename... Parts>
  Unsound(int of_step, fmt::format_string<Parts...> why, Parts&&... parts)
      : std::runtime_error(fmt::format(why, std::forward<Parts>(parts)...)), step(of_step) {}
  int step;
};

/// Steps that survey() looks at one by one, before it refuses: some ten seconds.
inline constexpr double most_looked_at = 1e8;

/// Follows each rank through the program, a loop once where its turns do not differ, and sets the
/// program's sums. Throws Unsound where an expression has no value, a rank sends what nobody
/// receives, or receives what nobody sends, or another size; where ranks of a group begin different
/// collectives; where messages of one pair and tag are on several streams; where nobody does
/// anything.
void survey(Program& program);

}  // namespace ringscope::programs
