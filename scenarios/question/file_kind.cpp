// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topologies/input/data_files.hpp"

namespace ringscope {

bool is_read_as_scenario(const std::string& name) {
  if (is_path(name)) {
    const Value file = Value::from_file(name);
    return file.kind() == Value::Kind::map &&
           (file.find("job") != nullptr || file.find("scenario") != nullptr);
  }
  for (const char* folder : {scenarios_folder, "scenarios/studies"}) {
    const std::vector<std::string> known = names_in(folder);
    if (std::ranges::find(known, name) != known.end()) return true;
  }
  return false;
}

std::string scenario_file(const std::string& name) {
  if (is_path(name)) return name;
  for (const char* folder : {scenarios_folder, "scenarios/studies"}) {
    const std::vector<std::string> known = names_in(folder);
    if (std::ranges::find(known, name) != known.end())
      return fmt::format("{}/{}/{}.yaml", data_directory(), folder, name);
  }
  return file_of(typed("SCENARIO", name), scenarios_folder, "scenario");
}

void refuse_study(const std::string& name, const Value& file) {
  const bool study = file.kind() == Value::Kind::map && file.find("scenario") != nullptr &&
                     file.find("job") == nullptr;
  if (!study) return;
  const bool sweep = file.find("sweep") != nullptr || file.find("place") == nullptr;
  file.fail("this is a study, and not a scenario: 'ringscope {} {}' reads it",
            sweep ? "sweep" : "place", name);
}

void refuse_scenario(const std::string& name, const Value& file) {
  const bool scenario = file.kind() == Value::Kind::map && file.find("job") != nullptr &&
                        file.find("scenario") == nullptr;
  if (!scenario) return;
  file.fail(
      "this is a scenario, and not a study: 'ringscope run {0}' reads it; a study has 'scenario: "
      "{0}' and, as 'sweep', what varies",
      name);
}

}  // namespace ringscope
