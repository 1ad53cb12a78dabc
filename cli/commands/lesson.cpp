// SPDX-License-Identifier: LGPL-2.1-or-later
// `lesson`: a run as a page to look at, step by step.
#include <fmt/ranges.h>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/lesson/lesson_case.hpp"
#include "cli/lesson/lesson_page.hpp"
#include "cli/terminal/failure.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_ranks = 1024;
constexpr std::size_t most_cases = 24;

struct LessonArguments {
  CaseArguments cases;
  std::string output;
};

void require_visible(const std::vector<Scenario>& scenarios, const CaseArguments& arguments) {
  if (scenarios.size() > most_cases)
    throw BadInput("{}: a page shows at most {} cases, got {}",
                   fmt::join(arguments.scenarios, ", "), most_cases, scenarios.size());
  for (const Scenario& scenario : scenarios)
    if (scenario.placement.ranks.size() > most_ranks)
      throw BadInput("{}: a page shows at most {} ranks, got {}", scenario.name, most_ranks,
                     scenario.placement.ranks.size());
}

/// A recording is large and stays where it was made: what the page needs of it comes back.
Report simulate_for_page(const Case& one, const RunOptions& options) {
  Report report = simulate_case(one, options);
  report.attachment = lesson::case_json(*one.scenario, report).dump();
  report.spans.clear();
  report.recording.reset();
  return report;
}

/// Throws Failure (interrupted) where one of them has not ended: a page of the rest is none.
Answer run_all(const std::vector<Scenario>& scenarios, const CaseArguments& arguments,
               ProgressBar& bar) {
  RunOptions options = recording(true);
  options.record = true;
  Answer answer = run_with(arguments, scenarios, {&bar}, options, simulate_for_page);
  if (!answer.interrupted.empty())
    throw Failure(ExitCode::interrupted, answer.interrupted + ": no page is written");
  return answer;
}

void write_lesson(const LessonArguments& arguments) {
  require_writable(arguments.output);
  ProgressBar bar("reading");
  const std::vector<Scenario> scenarios = scenarios_of(arguments.cases);
  require_visible(scenarios, arguments.cases);
  const Answer answer = run_all(scenarios, arguments.cases, bar);
  const std::vector<Report>& reports = answer.reports;
  begin_writing(bar, arguments.output != "-");
  std::vector<Json> cases;
  for (const Report& report : reports) cases.push_back(Json::parse(report.attachment));
  const Value* question = scenarios.front().resolved.find("question");
  const std::string& yaml = question->place().source->text;
  Json data = lesson::page_data(reports, std::move(cases), scenarios.front().question,
                                lesson::words_above(yaml));
  const Value file = Value::from_text("scenario", yaml);
  for (const char* key : {"lesson", "compare"})
    if (const Value* own = file.find(key); own != nullptr) data[key] = to_json(*own);
  const bool of_one_file = arguments.cases.scenarios.size() < 2;
  write_output(arguments.output, lesson::page(data, of_one_file ? yaml : ""));
  end_answer(answer, bar, arguments.output != "-", "",
             "ringscope plot " + shell_word(arguments.output) + " -o loads.png");
}

}  // namespace

void add_lesson(Command& program) {
  auto [lesson, arguments] = program.add_subcommand("lesson", write_lesson);
  add_case_arguments(lesson, arguments.cases);
  lesson.add_option("-o,--output", arguments.output).required();
}

}  // namespace ringscope
