// `lesson`: a run as a page to look at, step by step.
#include <fmt/ranges.h>

#include <memory>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/lesson/lesson_case.hpp"
#include "cli/lesson/lesson_page.hpp"
#include "cli/terminal/output_file.hpp"
#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_ranks = 1024;
constexpr std::size_t most_cases = 12;

struct Arguments {
  CaseArguments cases;
  std::string output;
};

void require_visible(const std::vector<Scenario>& scenarios, const CaseArguments& arguments) {
  if (scenarios.size() > most_cases)
    throw Failure(ExitCode::bad_input,
                  fmt::format("{}: a page shows at most {} cases, got {}",
                              fmt::join(arguments.scenarios, ", "), most_cases, scenarios.size()));
  for (const Scenario& scenario : scenarios)
    if (scenario.placement.ranks.size() > most_ranks)
      throw Failure(ExitCode::bad_input,
                    fmt::format("{}: a page shows at most {} ranks, got {}", scenario.name,
                                most_ranks, scenario.placement.ranks.size()));
}

/// A recording is large and stays where it was made: what the page needs of it comes back.
Report simulate_for_page(const Scenario& scenario, const RunOptions& options) {
  Report report = simulate(scenario, options);
  report.attachment = lesson::case_json(scenario, report).dump();
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

/// Differences of any two cases, as the reader may choose: [first][other].
Json all_differences(const std::vector<Report>& reports) {
  Json rows = Json::array();
  for (const Report& first : reports) {
    Json row = Json::array();
    for (const Report& other : reports)
      row.push_back(&first == &other || first.deadlock || other.deadlock
                        ? Json::array()
                        : differences_json(first, other));
    rows.push_back(row);
  }
  return rows;
}

Json path_words(const Report& report) {
  Json words = Json::array();
  for (const PathSegment& segment : report.path) words.push_back(segment_text(segment));
  return words;
}

std::string stuck_sentence(const Report& first, const Report& other,
                           const std::vector<std::string>& names) {
  if (&first == &other) return stuck_words(first);
  const auto words = [](const Report& report, const std::string& name) {
    return report.deadlock
               ? fmt::format("{} {}", name, stuck_words(report))
               : fmt::format("{} takes {}", name, to_short_text(Seconds(report.time_s)));
  };
  return words(first, names[0]) + "; " + words(other, names[1]);
}

std::string sentence(const Report& first, const Report& other,
                     const std::vector<std::string>& names) {
  if (first.deadlock || other.deadlock) return stuck_sentence(first, other, names);
  if (first.time_s <= 0 || other.time_s <= 0) return "it takes no time";
  return &first == &other ? reason(first) : difference_reason(first, other, names);
}

/// A sentence for each case, and for each two.
Json reasons_json(const std::vector<Report>& reports) {
  const std::vector<std::string> names = short_names(reports);
  Json rows = Json::array();
  for (std::size_t first = 0; first < reports.size(); ++first) {
    Json row = Json::array();
    for (std::size_t other = 0; other < reports.size(); ++other) {
      row.push_back(sentence(reports[first], reports[other], {names[first], names[other]}));
    }
    rows.push_back(row);
  }
  return rows;
}

void write_lesson(const Arguments& arguments) {
  require_writable(arguments.output);
  ProgressBar bar("reading");
  const std::vector<Scenario> scenarios = scenarios_of(arguments.cases);
  require_visible(scenarios, arguments.cases);
  const Answer answer = run_all(scenarios, arguments.cases, bar);
  const std::vector<Report>& reports = answer.reports;
  begin_writing(bar, arguments.output != "-");
  Json cases = Json::array();
  for (const Report& report : reports) {
    Json one = Json::parse(report.attachment);
    one["path_words"] = path_words(report);
    cases.push_back(std::move(one));
  }
  const Value* question = scenarios.front().resolved.find("question");
  const Json data = {{"schema", 1},
                     {"version", version()},
                     {"question", scenarios.front().question},
                     {"words", lesson::words_above(question->place().source->text)},
                     {"ticks", lesson::ticks},
                     {"cases", std::move(cases)},
                     {"names", short_names(reports)},
                     {"differences", all_differences(reports)},
                     {"reasons", reasons_json(reports)}};
  write_output(arguments.output, lesson::page(data));
  bar.end();
  tell_difference(answer.difference, arguments.output != "-");
  refuse_unended(answer);
}

}  // namespace

void add_lesson(Command& program) {
  Command lesson = program.add_subcommand("lesson", "Write a page that shows a run step by step");
  const auto arguments = std::make_shared<Arguments>();
  add_case_arguments(lesson, arguments->cases);
  lesson.add_option("-o,--output", arguments->output, "the page to write, such as page.html")
      .required();
  lesson.footer(
      "The page is one HTML file that needs no network: the cluster with its loads, which rank\n"
      "holds which partial sum, what each rank does when, and the critical path. Of several cases\n"
      "the reader chooses two. A run that cannot go on is shown up to where it stands, with a\n"
      "picture of who waits for whom; the exit code is 3 as of `run`.\n\n"
      "Examples:\n"
      "  ringscope lesson 03-anomaly -o anomaly.html\n"
      "  ringscope lesson my.yaml --set job.bytes=1MiB -o page.html");
  lesson.callback([arguments] { write_lesson(*arguments); });
}

}  // namespace ringscope
