// SPDX-License-Identifier: LGPL-2.1-or-later
// A study in equal shares, each simulated by a process that knows nothing of the others.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/studies/evaluator.hpp"
#include "sim/studies/store_tables.hpp"

namespace ringscope {

// The stores of a study's shards as one store.

/// Points that parts lack, of a shard that is among them or of one that is not.
struct MissingPoints {
  Shard shard;
  std::string file;                ///< "": none of the parts has this shard
  std::uint64_t count = 0;         ///< of points without a result
  std::vector<std::string> words;  ///< of the first ones, where there is a file
};

struct Merged {
  std::string study;
  std::uint64_t points = 0;            ///< of the whole study
  std::vector<MissingPoints> missing;  ///< by shard

  std::uint64_t missing_points() const;
};

/// Writes the results of all parts into `output`, a new file, and says what is missing. Throws
/// InputError for what is no part, for parts of different studies or versions, for a shard that
/// comes twice, and for a result that two parts have otherwise. `before_each`: called before a part
/// is read, if not null; what it throws is thrown.
Merged merge_parts(std::span<const std::string> parts, const std::string& output,
                   const std::function<void()>& before_each = nullptr);

// One share of a study.

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
