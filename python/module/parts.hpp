// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of the module: each adds its functions and classes.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/study/study.hpp"
#include "sim/session/session.hpp"

namespace ringscope {

namespace py = pybind11;

void add_cases(py::module_& module);    ///< run, compare, explain
void add_studies(py::module_& module);  ///< sweep
void add_places(py::module_& module);   ///< place
void add_gains(py::module_& module);    ///< what_if
void add_times(py::module_& module);    ///< nccl_estimate

// A scenario or a study as Python says it: the name of one of ours, a path, or its YAML.

/// `set`: dotted keys and their texts.
Question question_of(std::string name, std::optional<std::string> text,
                     const std::vector<std::pair<std::string, std::string>>& set);

/// Both throw InputError, whose places are those of the text.
StudyFile study_of(const Question& question);
/// A study, or a scenario as one that leaves all to place's rules.
StudyFile place_study_of(const Question& question);

// JSON as Python's own objects, and back.

/// Dicts, lists, numbers, strings, None: what `json.loads` makes of the text, without the text.
py::object object_of(const Json& json);

// Progress and ^C of long work that runs without Python's lock.

/// Called by the simulator with the share that is done. Now and then it takes Python's lock, tells
/// `show` that share, and throws what Python has to say: KeyboardInterrupt after ^C.
class Watch {
 public:
  /// `show`: a callable of one float, or None. The caller keeps it.
  explicit Watch(const py::object& show) : show_(&show) {}
  void operator()(double share);

 private:
  const py::object* show_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace ringscope
