// SPDX-License-Identifier: LGPL-2.1-or-later
// Tables of reports beside those of times: stale weights, differences of two runs, streams.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/report.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {

/// "" where nothing that was observed is stale. Asynchronous updates act like a momentum of 1 - 1/W
/// with W equal workers, which find W - 1 updates of others before their own: Mitliagkas et al.,
/// "Asynchrony begets momentum", 2016, arXiv:1605.09774, theorem 3, where computations take
/// exponentially distributed times.
std::string freshness_text(const Report& report);

/// Steps per second of all workers beside the age of their weights, by case; "" where no case has
/// stale weights or pulls.
std::string freshness_table(std::span<const Report> reports, const std::vector<std::string>& names);

/// Causes of the difference of two runs, whose column adds up: the rows up to the first that would
/// show nothing, at most `most` of them, and the others as one; without `most` all of them. Each
/// shows the difference of two rounded running sums: off by one digit at most, and the column adds
/// up to its last line. `names`: of the first run and the other.
std::string difference_table(const Report& first, const Report& other,
                             std::span<const std::string> names, std::span<const Difference> rows,
                             std::optional<std::size_t> most);

/// Time of streams, as its mean over the ranks, by what it was spent on, and the least and the most
/// of any rank.
std::string streams_text(const Report& report);

/// Loads as monitors sample them, a row each. Requires that there are any.
std::string samples_text(const Report& report);

}  // namespace ringscope
