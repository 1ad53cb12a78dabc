// SPDX-License-Identifier: LGPL-2.1-or-later
// The values that a study gives to its keys: lists, ranges, grids and Latin hypercubes.
#pragma once

#include <string>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope {

/// Range from one quantity to another of its kind, or from one number to another, evenly or by
/// equal factors. Where both ends are whole numbers, or bytes, so is what lies between.
class ValueRange {
 public:
  /// Reads `from`, `to` and `scale` of the map.
  explicit ValueRange(Fields& fields);
  Value at(double share) const;  ///< from 0 to 1: both ends exactly

 private:
  enum class Kind { bytes, bandwidth, seconds, cost, whole, real };
  struct End {
    Kind kind{};
    double number = 0;
  };
  static End read_end(const Value& value);

  Place place_;
  Kind kind_{};
  double from_ = 0, to_ = 0;
  bool logarithmic_ = false;
};

/// Keys that vary, and for each point a value for each.
struct Variation {
  std::vector<std::string> keys;
  std::vector<std::vector<Value>> points;
};

/// Reads `sweep`: one of `grid`, `points` and `latin`. Throws InputError.
Variation read_variation(const Value& sweep);

/// Every point of `variation` with every item of the list `values` as a further key.
void multiply(Variation& variation, const std::string& key, const Value& values);

}  // namespace ringscope
