// SPDX-License-Identifier: LGPL-2.1-or-later
// Meaning of stale weights and empty pulls, in words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// "" where nothing that was observed is stale. Asynchronous updates act like a momentum of 1 - 1/W
/// with W equal workers, which find W - 1 updates of others before their own: Mitliagkas et al.,
/// "Asynchrony begets momentum", 2016, arXiv:1605.09774, theorem 3, where computations take
/// exponentially distributed times.
std::string freshness_text(const Report& report);

/// Steps per second of all workers beside the age of their weights, by case; "" where no case has
/// stale weights or pulls.
std::string freshness_table(std::span<const Report> reports, const std::vector<std::string>& names);

}  // namespace ringscope
