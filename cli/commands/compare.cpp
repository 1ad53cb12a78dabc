// SPDX-License-Identifier: LGPL-2.1-or-later
#include <memory>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {

void add_compare(Command& program) {
  struct Arguments {
    CaseArguments cases;
    std::string json, csv;
  };
  Command compare = program.add_subcommand("compare");
  const auto arguments = std::make_shared<Arguments>();
  add_case_arguments(compare, arguments->cases);
  compare.add_option("--against", arguments->cases.against);
  compare.add_option("--json", arguments->json);
  compare.add_option("--csv", arguments->csv);
  compare.callback([arguments] {
    const auto& [cases, json, csv] = *arguments;
    const bool text = print_text({json, csv});
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
