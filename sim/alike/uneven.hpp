// SPDX-License-Identifier: LGPL-2.1-or-later
// Scripts of ranks whose chunks differ by an item.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/question/scenario.hpp"
#include "sim/alike/script.hpp"

namespace ringscope::sim {

/// Chunks may differ by one item only where that is less of them than this.
inline constexpr double most_uneven = 1e-3;

/// Share of all messages' bytes that an item of each message is; nothing where anything else
/// differs than sizes by an item, or it is too much.
std::optional<double> unevenness(const Scenario& scenario, const std::vector<ScriptLine>& ours,
                                 const std::vector<ScriptLine>& theirs);

}  // namespace ringscope::sim
