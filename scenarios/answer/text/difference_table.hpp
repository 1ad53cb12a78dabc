// SPDX-License-Identifier: LGPL-2.1-or-later
// Causes of the difference of two runs, as a table whose column adds up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {

/// "3 smaller ones": the last row of a table that leaves some out.
std::string smaller_ones(std::size_t count);

/// The rows up to the first that would show nothing, at most `most` of them, and the others as one;
/// without `most` all of them. Each shows the difference of two rounded running sums: off by one
/// digit at most, and the column adds up to its last line. `names`: of the first run and the other.
std::string difference_table(const Report& first, const Report& other,
                             std::span<const std::string> names, std::span<const Difference> rows,
                             std::optional<std::size_t> most);

}  // namespace ringscope
