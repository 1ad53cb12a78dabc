// SPDX-License-Identifier: LGPL-2.1-or-later
// Exchanges and costs of context groups, besides their program.
#pragma once

#include <utility>

#include "algorithms/training/llm/llm.hpp"

namespace ringscope {

/// Collectives of a context group around attention, whose keys do not go round a ring.
struct AroundAttention {
  const Algorithm *before = nullptr, *behind = nullptr;  ///< null: none
  std::uint64_t bytes_before = 0, bytes_behind = 0;      ///< of a rank's vector
};
AroundAttention around_attention(const LlmStep& step, bool back);

/// Items of a vector of keys, and number of such vectors.
std::pair<std::size_t, int> key_items(const LlmStep& step, const Options& options);

/// Messages and items of one layer and micro-batch in one direction, over all `ranks`.
Cost context_cost(const LlmStep& step, bool back, int ranks, const Options& options);
/// Scratch space of their collectives.
std::size_t context_scratch(const LlmStep& step, const Options& options);

}  // namespace ringscope
