// SPDX-License-Identifier: LGPL-2.1-or-later

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {
namespace {

struct RunArguments {
  CaseArguments cases;
  std::string json, csv, trace, timeline, paje;
  bool interval = false;
};

/// Becomes `predict`, which has few of the options.
[[noreturn]] void run_with_interval(const RunArguments& arguments) {
  const CaseArguments& cases = arguments.cases;
  const bool more = !cases.only.empty() || cases.no_skip || cases.no_fold ||
                    cases.kernel != CaseArguments().kernel ||
                    cases.tolerance != CaseArguments().tolerance || !arguments.csv.empty() ||
                    !arguments.trace.empty() || !arguments.timeline.empty() ||
                    !arguments.paje.empty();
  if (cases.scenarios.size() != 1 || more)
    throw BadInput(
        "run: --interval: expected one scenario, options that change it, and --json at most");
  std::vector<std::string> words = cases.scenarios;
  for (const Override& one : cases.question.overrides())
    words.insert(words.end(), {"--set", one.key + "=" + one.text});
  if (!arguments.json.empty()) words.insert(words.end(), {"--json", arguments.json});
  run_script("validation/calibration/predict", words);
}

void run(const RunArguments& arguments) {
  if (arguments.interval) run_with_interval(arguments);
  const auto& [cases, json, csv, trace, timeline, paje, interval] = arguments;
  const bool text = print_text({json, csv, trace, timeline, paje});
  ProgressBar bar("reading");
  const bool record = !trace.empty() || !timeline.empty() || !paje.empty();
  const Answer answer = run_cases_of(cases, bar, recording(record));
  begin_writing(bar, text);
  const std::vector<Report>& reports = answer.reports;
  if (!json.empty()) write_output(json, document(reports).dump(2) + '\n');
  if (!csv.empty()) write_rows(csv, to_csv(reports), reports);
  if (!trace.empty()) write_output(trace, to_trace(reports));
  if (!paje.empty()) write_output(paje, to_paje(reports));
  if (!timeline.empty()) write_output(timeline, to_timeline_csv(reports));
  const std::vector<Report> ended = ended_ones(reports);
  const std::string screen = text && !ended.empty() ? print_run(ended) : "";
  end_answer(answer, bar, text, screen, command_on("explain", cases));
}

}  // namespace

void add_run(Command& program) {
  auto [run_command, arguments] = program.add_subcommand("run", run);
  add_case_arguments(run_command, arguments.cases);
  run_command.add_option("--json", arguments.json);
  run_command.add_option("--csv", arguments.csv);
  run_command.add_option("--trace", arguments.trace);
  run_command.add_option("--paje", arguments.paje);
  run_command.add_option("--timeline", arguments.timeline);
  run_command.add_flag("--interval", arguments.interval);
}

}  // namespace ringscope
