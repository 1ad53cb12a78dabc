// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>
#include <unistd.h>

#include "algorithms/collectives.hpp"
#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/estimates/step_rows.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/table.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "sim/estimate/nccl_times.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

struct EstimateArguments {
  std::string cluster, ranks, output = "-", figure, collective = "allreduce", format = "text";
  QuestionArguments question;
};

struct EstimateRow {
  std::uint64_t bytes = 0;
  EstimatedCall found;
  double algbw = 0, busbw = 0;  ///< B/s, as nccl-tests defines them
};

/// Times of one communicator by size.
struct Curve {
  const Scenario& scenario;
  std::vector<EstimateRow> rows;
  std::vector<std::string> warnings;

  bool has_interval() const {
    return std::ranges::any_of(rows,
                               [](const EstimateRow& row) { return row.found.likely.has_value(); });
  }
  std::string interval_text() const {
    const std::string& library = scenario.library.name;
    if (has_interval())
      return fmt::format("low to high: {} % of measured times, by {} of {}", spread_percent,
                         scenario.library.fitted && scenario.library.fitted->errors
                             ? "'fitted' and 'spread'"
                             : "'spread'",
                         library);
    return fmt::format(
        "no interval: {} has no 'spread'; add one from your own measurements (scenarios/format.md)",
        library);
  }
};

std::uint64_t size_in(const std::string& text) {
  const Value word = option_word("--bytes", text);
  const Bytes bytes = word.bytes();
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  if (bytes.count == 0 || bytes.count > most) word.fail("expected a size from 1 B to 1 PiB");
  return bytes.count;
}

/// "8B..16GiB", "1MiB" or "1MiB,3MB": of a range its first size times powers of two.
std::vector<std::uint64_t> sizes_in(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  for (const std::string_view part : split(text, ',')) {
    const std::string one(part);
    const std::size_t dots = one.find("..");
    const std::uint64_t first = size_in(one.substr(0, dots));
    const std::uint64_t last = dots == std::string::npos ? first : size_in(one.substr(dots + 2));
    if (last < first)
      option_word("--bytes", one).fail("expected the smaller size first, as in 8B..16GiB");
    for (std::uint64_t size = first; size <= last; size *= 2) sizes.push_back(size);
  }
  return sizes;
}

Curve curve_of(const Scenario& scenario, const std::vector<std::uint64_t>& sizes,
               ProgressBar& bar) {
  const NcclTimes times(scenario);
  Curve curve{scenario, {}, job_warnings(scenario)};
  const double factor = bus_factor(collective_of(*scenario.job.algorithm),
                                   static_cast<int>(scenario.placement.ranks.size()));
  for (const std::uint64_t bytes : sizes) {
    const double done = static_cast<double>(curve.rows.size());
    bar.show(done / static_cast<double>(sizes.size()));
    EstimateRow row{bytes, times.simulated(bytes)};
    row.algbw = static_cast<double>(bytes) / row.found.time_s;
    row.busbw = row.algbw * factor;
    curve.rows.push_back(row);
  }
  return curve;
}

std::string heading(const Scenario& scenario) {
  return fmt::format("{} by NCCL, {} ranks, placed {}, on {} with {}",
                     scenario.job.algorithm->collective, scenario.placement.ranks.size(),
                     scenario.placement.text, scenario.cluster.name, scenario.library.name);
}

std::string text_of(const Curve& curve) {
  std::vector<TextTable::Column> columns = {"size", "time"};
  if (curve.has_interval()) columns.insert(columns.end(), {"low", "high"});
  columns.insert(columns.end(),
                 {text_column("algorithm"), text_column("protocol"), "channels", "algbw", "busbw"});
  TextTable table(columns);
  const auto time = [](double seconds) { return to_short_text(Seconds(seconds)); };
  for (const auto& [bytes, found, algbw, busbw] : curve.rows) {
    std::vector<std::string> cells = {to_short_text(Bytes{bytes}), time(found.time_s)};
    if (curve.has_interval()) {
      cells.push_back(found.likely ? time(found.likely->low_s) : "-");
      cells.push_back(found.likely ? time(found.likely->high_s) : "-");
    }
    cells.insert(cells.end(), {std::string(found.algorithm), std::string(found.protocol),
                               std::to_string(found.channels), to_short_text(Bandwidth{algbw}),
                               to_short_text(Bandwidth{busbw})});
    table.add(std::move(cells));
  }
  std::string text =
      heading(curve.scenario) + "\n\n" + table.text(2) + '\n' + curve.interval_text() + '\n';
  for (const std::string& warning : curve.warnings) text += "warning: " + warning + '\n';
  return text;
}

std::string json_of(const Curve& curve) {
  const Scenario& scenario = curve.scenario;
  Json rows = Json::array();
  for (const auto& [bytes, found, algbw, busbw] : curve.rows) {
    Json row = {{"bytes", bytes}, {"time_s", found.time_s}};
    if (found.likely)
      row.update({{"low_s", found.likely->low_s}, {"high_s", found.likely->high_s}});
    row.update({{"algorithm", found.algorithm},
                {"protocol", found.protocol},
                {"channels", found.channels},
                {"algbw", algbw},
                {"busbw", busbw}});
    rows.push_back(std::move(row));
  }
  const Json document = {{"schema", 1},
                         {"version", version()},
                         {"collective", scenario.job.algorithm->collective},
                         {"cluster", scenario.cluster.name},
                         {"library", scenario.library.name},
                         {"placement", scenario.placement.text},
                         {"ranks_count", scenario.placement.ranks.size()},
                         {"interval", curve.interval_text()},
                         {"warnings", curve.warnings},
                         {"sizes", std::move(rows)}};
  return json_text(document);
}

/// Columns as `run --csv` has them, and those of an estimate behind.
std::string csv_of(const Curve& curve) {
  const Scenario& scenario = curve.scenario;
  std::string text =
      "case,collective,algorithm,cluster,library,placement,ranks,bytes,time_s,algbw_bytes_per_s,"
      "busbw_bytes_per_s,low_s,high_s,protocol,channels\n";
  for (const auto& [bytes, found, algbw, busbw] : curve.rows)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", to_text(Bytes{bytes}),
                        scenario.job.algorithm->collective, found.algorithm,
                        csv_cell(scenario.cluster.name), csv_cell(scenario.library.name),
                        csv_cell(scenario.placement.text), scenario.placement.ranks.size(), bytes,
                        found.time_s, algbw, busbw,
                        found.likely ? fmt::format("{}", found.likely->low_s) : "",
                        found.likely ? fmt::format("{}", found.likely->high_s) : "", found.protocol,
                        found.channels);
  return text;
}

/// Becomes the program that draws: the table is what it reads from standard input.
void draw(const Curve& curve, const std::string& picture) {
  int ends[2];
  const std::string table = csv_of(curve);  // some kilobytes: a pipe holds them
  if (pipe(ends) != 0 || write(ends[1], table.data(), table.size()) != std::ssize(table) ||
      dup2(ends[0], STDIN_FILENO) < 0)
    throw BadInput("--figure: cannot pass the table to the plot program");
  close(ends[0]);
  close(ends[1]);
  run_script("plots/plot", {"/dev/stdin", "--kind", "scaling", "-o", picture, "--title",
                            heading(curve.scenario)});
}

/// A scenario has its own ranks and collectives.
void require_no_communicator(const EstimateArguments& arguments) {
  const std::pair<const char*, bool> said[] = {
      {"--collective", arguments.collective != EstimateArguments{}.collective},
      {"--ranks", !arguments.ranks.empty()},
      {"--figure", !arguments.figure.empty()},
      {"--format csv", arguments.format == "csv"}};
  for (const auto& [option, is_said] : said)
    if (is_said) throw BadInput("{}: expected no such option with a scenario", option);
}

/// Value by the last option that gives that key; null where none does.
Value asked_of(const QuestionArguments& question, const std::string& key) {
  Value asked = named_value("--" + key, "");
  for (const Override& one : question.parts)
    if (one.key == key) asked = named_value(one.option, one.text);
  return asked;
}

NcclQuestion question_of(const EstimateArguments& arguments, std::string& bytes) {
  const QuestionArguments& question = arguments.question;
  if (!question.changes.empty()) throw BadInput("--set: expected a scenario, got a cluster");
  NcclQuestion asked = {.cluster = asked_of(question, "cluster"),
                        .collective = named_value("--collective", arguments.collective),
                        .ranks = named_value("--ranks", arguments.ranks),
                        .library = asked_of(question, "library"),
                        .placement = asked_of(question, "placement")};
  if (!arguments.cluster.empty()) asked.cluster = named_value("CLUSTER", arguments.cluster);
  if (asked.cluster.is_null()) throw BadInput("estimate: expected a CLUSTER, or --cluster NAME");
  if (const Value job = asked_of(question, "job"); !job.is_null()) {
    const Value *algorithm = job.find("algorithm"), *size = job.find("bytes");
    if (algorithm == nullptr || algorithm->scalar() != "nccl")
      job.fail("expected a collective as NCCL chooses it, such as allreduce/nccl:64MiB");
    asked.collective = *job.find("collective");
    if (size != nullptr) bytes = size->scalar();
  }
  if (const Value size = asked_of(question, "job.bytes"); !size.is_null()) bytes = size.scalar();
  return asked;
}

void print_estimates(const EstimateArguments& arguments) {
  const auto& [cluster, ranks, output, figure, collective, format, question] = arguments;
  require_writable(output);
  require_writable(figure);
  if (cluster.find_first_of("{[") != 0 && is_read_as_scenario(cluster)) {
    require_no_communicator(arguments);
    return print_steps(cluster, question.overrides(), format, output);
  }
  ProgressBar bar("reading");
  std::string bytes = "8B..16GiB";
  const NcclQuestion asked = question_of(arguments, bytes);
  const std::vector<std::uint64_t> sizes = sizes_in(bytes);
  const Scenario scenario = nccl_scenario(asked);
  const Curve curve = curve_of(scenario, sizes, bar);
  bar.end();
  const std::string text = format == "json"  ? json_of(curve)
                           : format == "csv" ? csv_of(curve)
                                             : text_of(curve);
  show_or_write(text, output, format == "text");
  if (!figure.empty()) draw(curve, figure);
}

}  // namespace

void add_estimate(Command& program) {
  auto [command, arguments] = program.add_subcommand("estimate", print_estimates);
  auto& [cluster, ranks, output, figure, collective, format, question] = arguments;
  command.add_option("CLUSTER", cluster);
  add_question_options(command, question);
  command.add_option("--collective", collective).show_default();
  command.add_option("--ranks", ranks);
  command.add_option("--format", format).one_of({"text", "json", "csv"}).show_default();
  command.add_option("-o,--output", output);
  command.add_option("--figure", figure);
}

}  // namespace ringscope
