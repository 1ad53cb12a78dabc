// SPDX-License-Identifier: LGPL-2.1-or-later
// Buffers and costs of a layer's experts, besides their program.
#pragma once

#include "algorithms/training/llm/llm.hpp"

namespace ringscope {

const Algorithm& expert_exchange_of(const LlmStep& step);

/// Items of a rank: the most that it sends to experts or back; and what comes to its tensor group,
/// of which it has a part.
struct ExpertItems {
  std::size_t sent = 0, here = 0;
};
/// `index`: the rank's in its expert group.
ExpertItems expert_items(const LlmStep& step, int index, const Options& options);
/// The most that any rank has of each.
ExpertItems most_expert_items(const LlmStep& step, const Options& options);

/// All of a layer in one direction, one after the other.
std::vector<TokenExchange> exchanges_of(const Experts& experts);
/// "expert", "expert rail" or "expert host".
const char* name_of(TokenExchange::Group group);

/// Messages and items of one layer and micro-batch in one direction, over all `ranks`.
Cost expert_layer_cost(const LlmStep& step, int ranks, const Options& options);
/// Scratch space of their collectives.
std::size_t expert_scratch(const LlmStep& step, const Options& options);

}  // namespace ringscope
