// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of place: studies from YAML text, and their answers.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sim/studies/search/place.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope {

inline PlaceStudy study_of(const std::string& yaml, const std::string& said = "{}") {
  return read_place({"test", Value::from_text("test", yaml)}, {}, Value::from_text("flags", said));
}

inline EvaluatorOptions on_threads(int threads) {
  EvaluatorOptions options;
  options.threads = threads;
  return options;
}

inline PlaceAnswer answer_of(const PlaceStudy& study) {
  Evaluator evaluator(on_threads(2));
  return place(study, evaluator);
}

/// A ring on the rack of lesson 3.
inline const std::string rack =
    "scenario:\n"
    "  question: which?\n"
    "  cluster: rack3\n"
    "  library: slow_tcp\n"
    "  placement: 4-3-1\n"
    "  job: {collective: allreduce, algorithm: ring, bytes: 1 MiB}\n";

}  // namespace ringscope
