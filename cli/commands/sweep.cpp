// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>

#include "cli/cases/cases.hpp"
#include "cli/cases/study_options.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/commands/sweep_rows.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr std::size_t short_table = 40, best_shown = 20;

struct SweepArguments {
  std::string study, by, csv, json;
  QuestionArguments question;
  std::size_t top = 0;
  StudyOptions options;
};

/// The metric that rows are ordered by comes first, whether the study asked for it or not.
void order_by(Study& study, const std::string& metric) {
  if (metric.empty()) return;
  const std::vector<std::string> known = metric_names();
  option_word("--objective", metric).one_of("metric", known);
  std::erase(study.metrics, metric);
  study.metrics.insert(study.metrics.begin(), metric);
}

Study read(const SweepArguments& arguments) {
  const std::vector<Override> overrides = arguments.question.overrides();
  const std::vector<std::string> metrics = metric_names();
  Study study = read_study(read_study_file(arguments.study), overrides, metrics);
  order_by(study, arguments.by);
  return study;
}

/// The rows, for shards; the study outlives them.
Points points_of(const Study& study) {
  Points points{study.name, {}, {}, {}};
  for (std::size_t row = 0; row < study.size(); ++row) {
    points.words.push_back(row_words(study, row));
    if (row % study.points.size() == 0) points.samples.push_back(row);
  }
  points.make = [&study](std::size_t row, KnownParts& known) {
    return study_scenario(study, row, known);
  };
  return points;
}

std::vector<Outcome> simulate_all(const Study& study, const StudyOptions& options,
                                  ProgressBar& bar) {
  StudyRun run(options, study.name, bar);
  const MakeScenario make = [&study](std::size_t row, KnownParts& known) {
    return study_scenario(study, row, known);
  };
  run.announce(study.size(), make, {});
  std::vector<Outcome> outcomes = run.evaluator().evaluate(study.size(), make);
  bar.say(run.summary(outcomes.size()));
  return outcomes;
}

Verification verify(const Study& study, std::span<const Outcome> outcomes,
                    std::span<const std::size_t> best, const StudyOptions& options,
                    ProgressBar& bar) {
  KnownParts known;
  std::vector<Scenario> scenarios;
  std::vector<Outcome> expected;
  for (const std::size_t row : best) {
    if (static_cast<int>(scenarios.size()) == options.verify || !outcomes[row].error.empty()) break;
    scenarios.push_back(study_scenario(study, row, known));
    expected.push_back(outcomes[row]);
  }
  return verify_on_simgrid(scenarios, expected, bar, limit_of(options));
}

/// All rows as the study has them, or, where these are many or somebody asks for it, the best.
std::string table(const Study& study, std::span<const Outcome> outcomes,
                  std::span<const std::size_t> best, const SweepArguments& arguments) {
  std::vector<std::size_t> rows(best.begin(), best.end());
  const bool all = arguments.top == 0 && rows.size() <= short_table;
  if (all && arguments.by.empty()) std::sort(rows.begin(), rows.end());
  if (!all) rows.resize(std::min(rows.size(), arguments.top == 0 ? best_shown : arguments.top));
  std::string text = sweep_table(study, outcomes, rows);
  if (rows.size() < outcomes.size())
    text += fmt::format("the best {} of {} by {}; --csv and --json have all\n", rows.size(),
                        outcomes.size(), study.metrics.front());
  else if (arguments.by.empty() && arguments.top == 0)
    text += best_text(study, outcomes, best);
  return text;
}

void sweep_shard(const SweepArguments& arguments) {
  refuse_answers(arguments.options,
                 {{"--csv", arguments.csv},
                  {"--json", arguments.json},
                  {"--objective", arguments.by},
                  {"--top", arguments.top > 0 ? std::to_string(arguments.top) : ""}},
                 "sweep");
  ProgressBar bar("reading");
  const Study study = read(arguments);
  run_shard(points_of(study), arguments.options, bar);
}

void sweep(SweepArguments& arguments) {
  settle_shard(arguments.options);
  if (arguments.options.part) return sweep_shard(arguments);
  const bool text = print_text({arguments.csv, arguments.json});
  ProgressBar bar("reading");
  const Study study = read(arguments);
  const std::vector<Outcome> outcomes = simulate_all(study, arguments.options, bar);
  const std::vector<std::size_t> best = best_first(outcomes, study.metrics.front());
  const Verification verified = verify(study, outcomes, best, arguments.options, bar);
  begin_writing(bar, text);
  if (!arguments.csv.empty()) write_output(arguments.csv, sweep_csv(study, outcomes));
  if (!arguments.json.empty())
    write_output(arguments.json, sweep_json(study, outcomes, best, verified).dump(2) + '\n');
  if (text) {
    const std::size_t count = verified.verified.size();
    const std::string words =
        verified.text(count == 1 ? "the best one" : fmt::format("the best {}", count));
    const std::string rows =
        table(study, outcomes, best, arguments) + vain_keys_text(study, outcomes);
    bar.end();
    show_screen(rows + words + (words.empty() ? "" : "\n"));
    suggest("ringscope sweep " + shell_word(arguments.study) + " --csv points.csv");
  }
  end_with_warning(verified);
}

}  // namespace

void add_sweep(Command& program) {
  auto [command, arguments] = program.add_subcommand("sweep", sweep);
  command.add_option("STUDY", arguments.study).required();
  add_question_options(command, arguments.question);
  command.add_option("--top", arguments.top).between(1, 1000000);
  command.add_option("--objective", arguments.by);
  command.add_option("--csv", arguments.csv);
  command.add_option("--json", arguments.json);
  add_study_options(command, arguments.options);
  command.add_option("--time-limit", arguments.options.limit);
}

}  // namespace ringscope
