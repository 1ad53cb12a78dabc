// SPDX-License-Identifier: LGPL-2.1-or-later
// The question that a command answers: a scenario, options that change it, or options alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/words.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope {

struct QuestionArguments {
  std::vector<Override> parts;       ///< --cluster, --library, --model, --placement, --bytes, --job
  std::vector<std::string> changes;  ///< --set, laid over the parts

  std::vector<Override> overrides() const;
  /// " --cluster two_level --set job.bytes=1MiB": the options as a shell takes them.
  std::string words() const;
  /// The cluster, where the options give nothing else.
  std::optional<Value> only_cluster() const;
};

/// Adds these options.
void add_question_options(Command& command, QuestionArguments& arguments);

/// A scenario without keys but its question, for options that give all of them. Throws BadInput
/// where one of `keys` is in no option.
Value spelled_out(const std::string& command, const QuestionArguments& arguments,
                  const std::vector<std::string>& keys);

/// Cases of the scenario called `name`, or, without a name, of the scenario that the options give.
std::vector<Scenario> read_question(const std::string& name, const QuestionArguments& arguments);

/// Throws BadInput where options or cases are asked of `name`, which is a cluster.
void refuse_options_for(const std::string& name, const QuestionArguments& arguments,
                        const std::vector<std::string>& only);

}  // namespace ringscope
