// SPDX-License-Identifier: LGPL-2.1-or-later
// A scenario or a study as Python says it: the name of one of ours, a path, or its YAML.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/study/study.hpp"
#include "sim/session/session.hpp"

namespace ringscope {

/// `set`: dotted keys and their texts.
Question question_of(std::string name, std::optional<std::string> text,
                     const std::vector<std::pair<std::string, std::string>>& set);

/// Both throw InputError, whose places are those of the text.
StudyFile study_of(const Question& question);
/// A study, or a scenario as one that leaves all to place's rules.
StudyFile place_study_of(const Question& question);

}  // namespace ringscope
