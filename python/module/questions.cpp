// SPDX-License-Identifier: LGPL-2.1-or-later
#include "python/module/questions.hpp"

#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/study/place_study.hpp"

namespace ringscope {

std::vector<Override> overrides_of(const PythonQuestion& question) {
  std::vector<Override> overrides;
  for (const auto& [key, text] : question.set) overrides.push_back({key, text});
  return overrides;
}

std::vector<Scenario> scenarios_of(const PythonQuestion& question) {
  if (!question.text) return read_scenarios(question.name, overrides_of(question));
  const Value tree = Value::from_text(question.name, *question.text);
  std::vector<Scenario> scenarios;
  for (const CaseTree& one : case_trees(tree, question.name, overrides_of(question)))
    for (Scenario& scenario : read_tree(one.tree, one.name))
      scenarios.push_back(std::move(scenario));
  return scenarios;
}

StudyFile study_of(const PythonQuestion& question) {
  if (!question.text) return read_study_file(question.name);
  return {question.name, Value::from_text(question.name, *question.text)};
}

StudyFile place_study_of(const PythonQuestion& question) {
  if (!question.text) return read_place_file(question.name);
  StudyFile file = study_of(question);
  if (file.tree.kind() == Value::Kind::map && file.tree.find("scenario") != nullptr) return file;
  StudyFile whole{question.name, Value::empty_map_at(file.tree.place())};
  whole.tree.set("scenario", file.tree);
  return whole;
}

}  // namespace ringscope
