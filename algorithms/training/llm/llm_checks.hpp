// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of all gradients of a large model: the program's task, counts and costs.
#pragma once

#include <utility>
#include <vector>

#include "algorithms/training/llm/llm_parts.hpp"

namespace ringscope {

/// Kinds of groups whose ranks have different gradients, with their sizes; none without checks.
std::vector<std::pair<const char*, int>> checked_groups(const LlmStep& step);

/// Bytes of one number.
inline constexpr std::uint64_t check_bytes = 4;
/// Its items; 0 without checks.
std::size_t check_items(const LlmStep& step, const Options& options);

/// Cost of one step on all groups of `ranks` ranks.
Cost checks_cost(const LlmStep& step, int ranks, const Options& options);
std::size_t checks_scratch(const LlmStep& step, const Options& options);

}  // namespace ringscope
