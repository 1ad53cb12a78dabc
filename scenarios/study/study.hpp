// SPDX-License-Identifier: LGPL-2.1-or-later
// A study: a scenario, and what of it is varied.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenarios/question/scenario_tree.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

// The values that a study gives to its keys: lists, ranges, grids and Latin hypercubes.

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

// The study.

/// One of the values that each key of a study gets, in the order of Study::keys. Null: the point
/// leaves the scenario's own value.
using StudyPoint = std::vector<Value>;

/// Work of `ringscope sweep`: every point in every case of the scenario.
struct Study {
  std::string name;  ///< the file's stem
  std::string question;
  std::vector<CaseTree> cases;
  std::vector<std::string> keys;  ///< dotted, in the order of the file
  std::vector<StudyPoint> points;
  std::vector<std::string> metrics;  ///< never empty
  bool compares_clusters = false;    ///< each case is on a cluster, the first one is the baseline

  std::size_t size() const { return cases.size() * points.size(); }
};

/// The file that the user means, read: a path, or the name of a file in scenarios/studies.
struct StudyFile {
  std::string name;  ///< its stem
  Value tree;
};
StudyFile read_study_file(const std::string& name);

/// The cases of the `scenario` of a study file, `overrides` laid over them, on each of its
/// `clusters`. Cases that vary nothing but `keys` are none.
std::vector<CaseTree> study_cases(const StudyFile& file, const std::vector<Override>& overrides,
                                  std::span<const std::string> keys = {});

/// `known_metrics`: what `metrics` may name; by default the first of them. Throws InputError.
Study read_study(const StudyFile& file, const std::vector<Override>& overrides,
                 std::span<const std::string> known_metrics);

/// Words that tell a row apart, by the order of the keys' names: "03-anomaly: job.bytes=1 MiB,
/// placement=4-3-1".
std::string row_words(const Study& study, std::size_t index);

/// The scenario of one row, `index` below size(): case by case, and in each all points.
Scenario study_scenario(const Study& study, std::size_t index, KnownParts& known);

}  // namespace ringscope
