// SPDX-License-Identifier: LGPL-2.1-or-later
#include <memory>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/output_file.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {

void add_compare(Command& program) {
  struct Arguments {
    CaseArguments cases;
    std::string json, csv;
  };
  Command compare =
      program.add_subcommand("compare", "Simulate cases and break down their differences by cause");
  const auto arguments = std::make_shared<Arguments>();
  add_case_arguments(compare, arguments->cases);
  add_case_option(compare, arguments->cases.only);
  compare.add_option("--against", arguments->cases.against,
                     "CASE to compare the others with (default: the first)");
  compare.add_option("--json", arguments->json,
                     "write everything as JSON, with the differences (scenarios/schema.md)");
  compare.add_option("--csv", arguments->csv,
                     "write one row per case: run's columns, and the ratio to the first");
  compare.footer(
      "Every case is compared with the first one, or with --against CASE; where cases deadlock\n"
      "(exit code 3), with the first one that ends. The JSON lists deadlocks under 'stuck'.\n\n"
      "Examples:\n"
      "  ringscope compare 03-anomaly\n"
      "  ringscope compare 03-anomaly --against 4-3-1\n"
      "  ringscope compare 03-anomaly anomaly-gone --set job.bytes=16MiB\n"
      "  ringscope compare 03-anomaly --kernel both");
  compare.callback([arguments] {
    const auto& [cases, json, csv] = *arguments;
    const bool text = print_text({json, csv});
    for (const std::string& file : {json, csv}) require_writable(file);
    ProgressBar bar("reading");
    const Answer answer = run_cases_of(cases, bar, recording(false));
    const std::vector<Report>& reports = answer.reports;
    begin_writing(bar, text);
    if (!json.empty()) write_output(json, comparison(reports).dump(2) + '\n');
    if (!csv.empty()) write_rows(csv, comparison_csv(reports), reports);
    end_answer(answer, bar, text, print_compare(reports), command_on("explain", cases));
  });
}

}  // namespace ringscope
