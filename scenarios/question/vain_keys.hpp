// SPDX-License-Identifier: LGPL-2.1-or-later
// Keys of a scenario that change nothing in its answer.
#pragma once

#include <string>
#include <vector>

#include "scenarios/question/scenario.hpp"

namespace ringscope {

/// A sentence for each: the key, why it changes nothing, and what would.
std::vector<std::string> vain_keys(const Scenario& scenario);

}  // namespace ringscope
