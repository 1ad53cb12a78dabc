// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages of a binomial tree: of vectors; or of chunks, where each rank receives, or sends, those
// of its family, as in the binomial scatter and gather.
#pragma once

#include "algorithms/catalogue.hpp"
#include "algorithms/steps/rotation.hpp"
#include "algorithms/steps/tree_ranks.hpp"

namespace ringscope {

/// ceil(log2 P) steps, P-1 messages, each with the whole vector: broadcast and reduce.
inline Cost binomial_vector_cost(int ranks, std::size_t items, Options) {
  return {doublings(ranks), ranks - 1, static_cast<std::uint64_t>(ranks - 1) * items};
}

/// ceil(log2 P) steps, P-1 messages, and of each rank but the root its family's items.
inline Cost binomial_chunks_cost(int ranks, std::size_t items, Options options) {
  const Chunks chunk({.size = items}, ranks);
  Cost cost = {.steps = doublings(ranks), .messages = ranks - 1};
  for (int number = 1; number < ranks; ++number) {
    const Rotation held({.size = items}, chunk, to_rank(number, options.root, ranks));
    cost.items += held.span(0, BinomialNode(number, ranks).family()).size;
  }
  return cost;
}

/// Ranks with children hold their families' chunks in scratch space, the root only where its family
/// does not lie in its vector in order.
inline std::size_t binomial_scratch_items(int ranks, std::size_t items, Options options) {
  if (options.root != 0) return items;
  const Chunks chunk({.size = items}, ranks);
  std::size_t most = 0;
  for (int number = 1; number < ranks; ++number) {
    const BinomialNode node(number, ranks);
    if (!node.is_leaf()) most = std::max(most, chunk.span(number, node.family()).size);
  }
  return most;
}

}  // namespace ringscope
