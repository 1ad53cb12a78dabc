// SPDX-License-Identifier: LGPL-2.1-or-later
#include <memory>

#include "cli/cases/cases.hpp"
#include "cli/commands/scripts.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/output_file.hpp"
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
  for (const std::string& file : {json, csv, trace, timeline, paje}) require_writable(file);
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
  Command run_command =
      program.add_subcommand("run", "Simulate scenarios and report where the time goes");
  const auto arguments = std::make_shared<RunArguments>();
  add_case_arguments(run_command, arguments->cases);
  add_case_option(run_command, arguments->cases.only);
  run_command.add_option("--json", arguments->json,
                         "write everything as JSON (scenarios/schema.md)");
  run_command.add_option("--csv", arguments->csv, "write one row per case");
  run_command.add_option("--trace", arguments->trace, "write a trace for Perfetto or Chrome");
  run_command.add_option("--paje", arguments->paje, "write a trace in Paje's format, for ViTE");
  run_command.add_option("--timeline", arguments->timeline,
                         "write the timeline of each rank as CSV");
  run_command.add_flag("--interval", arguments->interval,
                       "print only each time with its interval, as predict does");
  run_command.footer(
      "A file '-' is standard output; then no table is printed.\n"
      "If a case deadlocks (exit code 3), the JSON lists under 'stuck' who waits for whom;\n"
      "timeline and trace end at the deadlock, and the CSV has no row for the case.\n\n"
      "Examples:\n"
      "  ringscope run 03-anomaly\n"
      "  ringscope run my.yaml --set placement=4-3-1 --set job.bytes='[1 MiB, 64 MiB]'\n"
      "  ringscope run 03-anomaly --set library.network.send_cost='2 ns/B' --json -\n"
      "  ringscope run 03-anomaly --kernel both\n"
      "  ringscope run 03-anomaly --trace out/trace.json");
  run_command.callback([arguments] { run(*arguments); });
}

}  // namespace ringscope
