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
    std::string json;
  };
  Command compare =
      program.add_subcommand("compare", "Simulate scenarios, and say where the first differs");
  const auto arguments = std::make_shared<Arguments>();
  add_case_arguments(compare, arguments->cases);
  compare.add_option("--json", arguments->json,
                     "write everything as JSON, with the differences (scenarios/schema.md)");
  compare.footer(
      "Every case is compared with the first one; where cases cannot go on (a deadlock, exit code\n"
      "3), with the first one that ends. The JSON has those under 'stuck'.\n\n"
      "Examples:\n"
      "  ringscope compare 03-anomaly\n"
      "  ringscope compare 03-anomaly 04-anomaly-gone --set job.bytes=16MiB\n"
      "  ringscope compare 03-anomaly --kernel both");
  compare.callback([arguments] {
    const bool text = print_text({arguments->json});
    require_writable(arguments->json);
    const auto [reports, difference] = run_cases_of(arguments->cases, recording(false));
    if (!arguments->json.empty()) write_output(arguments->json, comparison(reports).dump(2) + '\n');
    const std::string screen = print_compare(reports);
    if (text && !screen.empty()) write_output("-", screen);
    tell_difference(difference, text);
    refuse_stuck(reports);
  });
}

}  // namespace ringscope
