// SPDX-License-Identifier: LGPL-2.1-or-later
#include "python/module/questions.hpp"

#include "scenarios/study/place_study.hpp"

namespace ringscope {

Question question_of(std::string name, std::optional<std::string> text,
                     const std::vector<std::pair<std::string, std::string>>& set) {
  Question question{std::move(name), std::move(text), {}};
  for (const auto& [key, value] : set) question.set.push_back({key, value});
  return question;
}

StudyFile study_of(const Question& question) {
  if (!question.text) return read_study_file(question.name);
  return {question.name, Value::from_text(question.name, *question.text)};
}

StudyFile place_study_of(const Question& question) {
  if (!question.text) return read_place_file(question.name);
  StudyFile file = study_of(question);
  if (file.tree.kind() == Value::Kind::map && file.tree.find("scenario") != nullptr) return file;
  StudyFile whole{question.name, Value::empty_map_at(file.tree.place())};
  whole.tree.set("scenario", file.tree);
  return whole;
}

}  // namespace ringscope
