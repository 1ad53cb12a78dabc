// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks in pairs, 2i with 2i+1; with an odd number of ranks the last one is alone.
#pragma once

#include "algorithms/catalogue.hpp"

namespace ringscope {

constexpr int partner_of(int rank) { return rank ^ 1; }
constexpr bool has_partner(int rank, int ranks) { return partner_of(rank) < ranks; }

/// Rank 0 sends `items` items to rank 1, which sends them back, in each of the rounds.
constexpr Cost pingpong_cost(int, std::size_t items, Options options) {
  const std::int64_t messages = std::int64_t{2} * options.rounds;
  return {messages, messages, static_cast<std::uint64_t>(messages) * items};
}

/// Each pair swaps `items` items in each of the rounds.
constexpr Cost exchange_cost(int ranks, std::size_t items, Options options) {
  const std::int64_t messages = std::int64_t{2} * options.rounds * (ranks / 2);
  return {.steps = options.rounds,
          .messages = messages,
          .items = static_cast<std::uint64_t>(messages) * items};
}

}  // namespace ringscope
