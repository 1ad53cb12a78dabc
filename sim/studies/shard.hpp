// SPDX-License-Identifier: LGPL-2.1-or-later
// A study in equal shares, each simulated by a process that knows nothing of the others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/studies/evaluator.hpp"

namespace ringscope {

/// All that a study simulates, point by point.
struct Points {
  std::string study;
  std::vector<std::string> words;  ///< of each: what tells it apart
  MakeScenario make;
  std::vector<std::size_t> samples;  ///< whose scenarios show that two studies are one
};

/// Dealt out in the order of a hash of the words: whatever the order of a study's keys, shares
/// differ by one point at most, and no share has all the large jobs. Points of the same words are
/// one.
std::vector<std::size_t> dealt_to(const Shard& shard, std::span<const std::string> words);

/// Progress of a shard at its end.
struct ShardOutcome {
  std::size_t points = 0, done = 0;
};

/// Simulates a shard into the evaluator's store, which is then a part that merge_parts() takes.
/// What the store has already is not simulated again.
ShardOutcome simulate_shard(const Points& points, const Shard& shard, Evaluator& evaluator);

}  // namespace ringscope
