// SPDX-License-Identifier: LGPL-2.1-or-later
// The stores of a study's shards as one store.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/studies/store_tables.hpp"

namespace ringscope {

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

}  // namespace ringscope
