// SPDX-License-Identifier: LGPL-2.1-or-later
// A scenario or a study as Python says it: the name of one of ours, a path, or its YAML.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/question/scenario.hpp"
#include "scenarios/study/study.hpp"

namespace ringscope {

struct PythonQuestion {
  PythonQuestion(std::string what, std::optional<std::string> yaml,
                 std::vector<std::pair<std::string, std::string>> changes)
      : name(std::move(what)), text(std::move(yaml)), set(std::move(changes)) {}

  std::string name;                                      ///< or what the cases of `text` are called
  std::optional<std::string> text;                       ///< YAML or JSON; none: a name or a path
  std::vector<std::pair<std::string, std::string>> set;  ///< dotted keys, laid over it
};

/// All throw InputError, whose places are those of the text.
std::vector<Override> overrides_of(const PythonQuestion& question);
std::vector<Scenario> scenarios_of(const PythonQuestion& question);
StudyFile study_of(const PythonQuestion& question);
/// A study, or a scenario as one that leaves all to place's rules.
StudyFile place_study_of(const PythonQuestion& question);

}  // namespace ringscope
