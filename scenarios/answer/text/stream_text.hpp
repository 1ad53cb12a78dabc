// SPDX-License-Identifier: LGPL-2.1-or-later
// Time of the streams of ranks, as text.
#pragma once

#include <span>
#include <string>

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// Time of streams, as its mean over the ranks, by what it was spent on, and the least and the most
/// of any rank.
std::string streams_text(const Report& report);

/// Loads as monitors sample them, a row each. Requires that there are any.
std::string samples_text(const Report& report);

}  // namespace ringscope
