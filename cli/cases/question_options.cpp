// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/terminal/failure.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

struct QuestionOption {
  const char* name;
  std::vector<const char*> keys;
};

const QuestionOption question_options[] = {
    {"--cluster", {"cluster"}},     {"--library", {"library"}}, {"--model", {"cluster", "library"}},
    {"--placement", {"placement"}}, {"--job", {"job"}},         {"--bytes", {"job.bytes"}},
};

/// "allreduce/ring:64MiB", or "barrier/dissemination", as the map of a job; a map as it is.
std::string job_map(const std::string& text) {
  if (text.starts_with('{')) return text;
  const auto slash = text.find('/'), colon = text.find(':');
  if (slash == std::string::npos || colon < slash)
    option_word("--job", text)
        .fail("expected a collective, its algorithm and bytes, such as allreduce/ring:64MiB");
  const std::string bytes =
      colon == std::string::npos ? "" : fmt::format(", bytes: {}", text.substr(colon + 1));
  return fmt::format("{{collective: {}, algorithm: {}{}}}", text.substr(0, slash),
                     text.substr(slash + 1, colon - slash - 1), bytes);
}

}  // namespace

std::vector<Override> QuestionArguments::overrides() const {
  std::vector<Override> all = parts;
  std::ranges::copy(parse_overrides(changes), std::back_inserter(all));
  return all;
}

std::string QuestionArguments::words() const {
  std::string words, last;
  for (const Override& one : parts)
    if (const std::string word = fmt::format(" {} {}", one.option, shell_word(one.text));
        word != last)
      words += last = word;
  for (const std::string& change : changes) words += " --set " + shell_word(change);
  return words;
}

std::optional<Value> QuestionArguments::only_cluster() const {
  const auto names_it = [](const Override& one) {
    return one.key == "cluster" || one.option == "--model";
  };
  if (parts.empty() || !changes.empty() || !std::ranges::all_of(parts, names_it)) return {};
  return Value::from_text(parts.front().option, parts.front().text);
}

void add_question_options(Command& command, QuestionArguments& arguments) {
  for (const QuestionOption& option : question_options)
    command.add_setting(option.name, [&arguments, &option](const std::string& text) {
      for (const Override& one : arguments.parts)
        if (one.option != option.name && std::ranges::count(option.keys, one.key) > 0)
          throw BadInput("{}: expected one of the options that give the {}, got {}, too",
                         option.name, one.key, one.option);
      for (const char* key : option.keys)
        arguments.parts.push_back(
            {key, option.keys.front() == std::string("job") ? job_map(text) : text, option.name});
    });
  command.add_option("--set", arguments.changes).one_word();
}

Value spelled_out(const std::string& command, const QuestionArguments& arguments,
                  const std::vector<std::string>& keys) {
  std::vector<std::string> missing = keys;
  for (const Override& one : arguments.overrides())
    std::erase_if(missing, [&](const std::string& key) { return overlap(one.key, key); });
  if (!missing.empty())
    throw BadInput(
        "{}: expected a scenario, or all of --{}; missing: --{} (ringscope list names both)",
        command, fmt::join(keys, ", --"), fmt::join(missing, ", --"));
  return Value::from_text("command line", "question: How long does this job take?");
}

std::vector<Scenario> read_question(const std::string& name, const QuestionArguments& arguments) {
  if (!name.empty()) return read_scenarios(name, arguments.overrides());
  return read_cases(spelled_out("ringscope", arguments, {"cluster", "library", "placement", "job"}),
                    "job", arguments.overrides());
}

void refuse_options_for(const std::string& name, const QuestionArguments& arguments,
                        const std::vector<std::string>& only) {
  if (!only.empty()) throw BadInput("--case: expected a scenario, and {} is a cluster", name);
  if (const std::string words = arguments.words(); !words.empty())
    throw BadInput(
        "{}: changes keys of a scenario, and {} is a cluster: expected a scenario, "
        "whose keys begin "
        "with 'cluster.'",
        words.substr(1, words.find(' ', 1) - 1), name);
}

}  // namespace ringscope
