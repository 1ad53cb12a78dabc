// SPDX-License-Identifier: LGPL-2.1-or-later
#include "python/module/parts.hpp"

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

py::object object_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return py::bool_(json.get<bool>());
    case Json::value_t::number_integer:
      return py::int_(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return py::int_(json.get<std::uint64_t>());
    case Json::value_t::number_float:
      return py::float_(json.get<double>());
    case Json::value_t::string:
      return py::str(json.get_ref<const std::string&>());
    case Json::value_t::array: {
      py::list list(json.size());
      for (std::size_t i = 0; i < json.size(); ++i) list[i] = object_of(json[i]);
      return list;
    }
    case Json::value_t::object: {
      py::dict dict;
      for (const auto& [key, value] : json.items()) dict[py::str(key)] = object_of(value);
      return dict;
    }
    default:
      return py::none();
  }
}

void Watch::operator()(double share) {
  constexpr std::chrono::milliseconds pause(50);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < pause) return;
  last_ = now;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!show_->is_none()) (*show_)(share);
}

}  // namespace ringscope
