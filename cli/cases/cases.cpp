// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <set>

#include "cli/cases/announcement.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr const char* both_kernels = "both";

/// Two cases of one name, from two files or from one twice, would be one in a table or a timeline:
/// the second becomes "name (2)".
void tell_apart(std::vector<Scenario>& scenarios) {
  std::set<std::string> taken;
  for (Scenario& scenario : scenarios) {
    const std::string name = scenario.name;
    for (int count = 2; !taken.insert(scenario.name).second; ++count)
      scenario.name = fmt::format("{} ({})", name, count);
  }
}

/// Fluid's share of the time that both kernels take, by what is known before.
double share_of_fluid(const std::vector<Scenario>& scenarios, const RunOptions& options) {
  double fluid = 0, simgrid = 0;
  for (const Scenario& scenario : scenarios) {
    const Simulated simulated = {scenario.placement.ranks.size(),
                                 simulated_repetitions(scenario, options)};
    fluid += estimate_of(scenario, false, simulated).seconds;
    simgrid += estimate_of(scenario, true).seconds;
  }
  return fluid + simgrid > 0 ? fluid / (fluid + simgrid) : 0;
}

/// Those that have ended.
Answer ended_of(SomeReports some) {
  Answer answer;
  for (std::optional<Report>& report : some)
    if (report) answer.reports.push_back(std::move(*report));
  if (answer.reports.size() < some.size())
    answer.interrupted =
        fmt::format("interrupted: {} of {} cases had ended", answer.reports.size(), some.size());
  return answer;
}

SomeReports run_on_simgrid(std::span<const Case> cases, RunOptions options, const Simulate& one,
                           Seconds limit) {
  options.kernel = "simgrid";
  try {
    return run_some_cases(cases, options, one, limit);
  } catch (const Failure& failure) {
    throw Failure(failure.code(), std::string("on simgrid: ") + failure.what());
  }
}

/// Says by how much the kernels of --kernel both differ, below the text for people, or else on
/// standard error. Throws Failure where that is a defect.
void tell_difference(const std::optional<KernelDifference>& difference, bool text) {
  if (!difference) return;
  const std::string words = difference->text();
  if (difference->is_defect()) throw Failure(ExitCode::wrong_result, words);
  if (text) return write_output("-", '\n' + words + '\n');
  std::fprintf(stderr, "%s\n", for_terminal(words).c_str());
}

/// Throws if any case deadlocked or was interrupted.
void refuse_unended(const Answer& answer) {
  const std::vector<Report>& reports = answer.reports;
  std::string text;
  for (const Report& report : reports) {
    if (!report.deadlock) continue;
    if (!text.empty()) text += '\n';
    if (reports.size() > 1) text += report.name + ": ";
    text += report.deadlock->text;
  }
  if (!answer.interrupted.empty())
    throw Failure(ExitCode::interrupted, text + (text.empty() ? "" : "\n") + answer.interrupted);
  if (!text.empty()) throw Failure(ExitCode::stuck, text);
}

}  // namespace

Seconds wall_time(const std::string& option, const std::string& text) {
  const Value value = typed(option, text);
  if (text.find_first_not_of("0123456789.") == std::string::npos)
    value.fail("expected a time such as 60s, got {}; did you mean {}s?",
               text.empty() ? "nothing" : text, text.empty() ? "60" : text);
  const Seconds time = value.seconds();
  if (time.count() <= 0) value.fail("expected a time above 0, such as 60s");
  return time;
}

Seconds limit_of(const std::string& text) { return wall_time("--time-limit", text); }

std::array<Option, 2> add_how_options(Command& subcommand, HowArguments& arguments) {
  const Option exact = subcommand.add_flag(
      "--exact", [&arguments] { arguments.no_skip = arguments.no_fold = true; });
  subcommand.add_flag("--no-skip", arguments.no_skip);
  subcommand.add_option("--tolerance", arguments.tolerance).show_default();
  return {exact, subcommand.add_flag("--no-fold", arguments.no_fold)};
}

double tolerance_of(const std::string& text) {
  constexpr double most = 0.1;
  const Value value = typed("--tolerance", text);
  const bool percent = text.ends_with('%');
  const std::string_view digits(text.data(), text.find_last_not_of(" %") + 1);
  double share = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), share);
  if (error != std::errc{} || end != digits.data() + digits.size())
    value.fail("expected a share, such as 0.1% or 0.001");
  if (percent) share /= 100;
  if (!(share >= 0 && share <= most)) value.fail("expected a share from 0 to 10%");
  return share;
}

void set_how(const HowArguments& arguments, RunOptions& options) {
  options.set_exactness(!arguments.no_skip, !arguments.no_fold, tolerance_of(arguments.tolerance));
}

void add_case_arguments(Command& subcommand, CaseArguments& arguments) {
  subcommand.add_option("SCENARIO", arguments.scenarios);
  add_question_options(subcommand, arguments.question);
  subcommand.add_option("--kernel", arguments.kernel).show_default();
  const auto [exact, no_fold] = add_how_options(subcommand, arguments);
  subcommand.add_option("--fold-from", arguments.fold_from)
      .between(2, never_fold)
      .show_default()
      .excludes(no_fold)
      .excludes(exact);
  subcommand.add_option("--time-limit", arguments.limit).show_default();
  subcommand.add_option("--case", arguments.only).one_word();
}

std::vector<Scenario> only_cases(std::vector<Scenario> scenarios,
                                 const std::vector<std::string>& only, const std::string& option) {
  if (only.empty()) return scenarios;
  const std::vector<std::string> known = each_of(scenarios, &Scenario::name);
  std::vector<Scenario> chosen;
  for (const std::string& name : only) {
    const auto fits = [&](const Scenario& scenario) {
      return scenario.name == name || scenario.name.ends_with(' ' + name);
    };
    const auto found = std::find_if(scenarios.begin(), scenarios.end(), fits);
    if (found == scenarios.end()) throw BadInput(option + ": " + unknown_name("case", name, known));
    chosen.push_back(*found);
  }
  return chosen;
}

std::vector<Scenario> scenarios_of(const CaseArguments& arguments) {
  const auto known = kernel_names();
  std::vector<std::string> names(known.begin(), known.end());
  names.push_back(both_kernels);
  if (std::find(names.begin(), names.end(), arguments.kernel) == names.end()) {
    throw BadInput("--kernel: " + unknown_name("kernel", arguments.kernel, names));
  }
  if (tolerance_of(arguments.tolerance) > 0 && arguments.kernel != "fluid") {
    throw BadInput("--tolerance: the kernel " + arguments.kernel +
                   " is exact; only fluid takes a tolerance");
  }
  std::vector<Scenario> scenarios;
  if (arguments.scenarios.empty()) scenarios = read_question("", arguments.question);
  for (const std::string& name : arguments.scenarios)
    std::ranges::move(read_question(name, arguments.question), std::back_inserter(scenarios));
  tell_apart(scenarios);
  scenarios = only_cases(std::move(scenarios), arguments.only);
  if (arguments.against.empty()) return scenarios;
  const std::string first = only_cases(scenarios, {arguments.against}, "--against").front().name;
  std::stable_partition(scenarios.begin(), scenarios.end(),
                        [&](const Scenario& one) { return one.name == first; });
  return scenarios;
}

Answer run_with(const CaseArguments& arguments, const std::vector<Scenario>& scenarios,
                const BarShare& share, RunOptions options, const Simulate& one) {
  const Seconds limit = limit_of(arguments.limit);
  const double length = share.end - share.begin;
  const bool both = arguments.kernel == both_kernels;
  set_how(arguments, options);
  options.kernel = both ? "fluid" : std::string_view(arguments.kernel);
  if (!arguments.no_fold) options.fold_from = arguments.fold_from;
  const double first = both ? share_of_fluid(scenarios, options) : 1;
  const auto show = [&share, length](double from, double to) {
    return [=, &share](double done) {
      share.bar->show(share.begin + length * (from + (to - from) * done));
    };
  };
  Session session{.run = options,
                  .on_simgrid = both || arguments.kernel == "simgrid",
                  .estimates = share.begin == 0,
                  .as_written = arguments.question.overrides().empty()};
  if (session.estimates)
    session.announce = [&](std::span<const Case> cases) {
      announce(cases, options, session.on_simgrid, 1 / length, static_cast<int>(cases_at_once()),
               *share.bar);
      share.bar->phase("");
    };
  std::vector<Case> estimated_cases;
  session.perform = [&](std::span<const Case> cases) {
    if (both) estimated_cases.assign(cases.begin(), cases.end());
    options.progress = show(0, first);
    return run_some_cases(cases, options, one, limit);
  };
  Answer answer = ended_of(ringscope::answer(session, scenarios));
  if (share.begin == 0 && answer.reports.empty() && !answer.interrupted.empty())
    throw Failure(ExitCode::interrupted, "interrupted before any case had ended");
  if (both && answer.interrupted.empty()) {
    options.progress = show(first, 1);
    const Answer other = ended_of(run_on_simgrid(estimated_cases, options, one, limit));
    if (other.interrupted.empty())
      answer.difference = kernel_difference(answer.reports, other.reports);
    else
      answer.interrupted = "interrupted on simgrid: nothing is compared";
  }
  return answer;
}

void begin_writing(ProgressBar& bar, bool text) {
  if (text)
    bar.phase("writing");
  else
    bar.end();
}

RunOptions recording(bool record) {
  RunOptions options;
  options.keep_deadlock = true;
  options.record_spans = options.record_chain = record;
  if (record) options.path_limit = long_path_limit;
  return options;
}

Answer run_cases_of(const CaseArguments& arguments, ProgressBar& bar, RunOptions options) {
  return run_with(arguments, scenarios_of(arguments), {&bar}, std::move(options));
}

std::vector<Report> ended_ones(const std::vector<Report>& reports) {
  std::vector<Report> ended;
  std::ranges::copy_if(reports, std::back_inserter(ended),
                       [](const Report& report) { return !report.deadlock; });
  return ended;
}

void write_rows(const std::string& file, const std::string& csv,
                const std::vector<Report>& reports) {
  write_output(file, csv);
  if (!ended_ones(reports).empty()) return;
  const std::string name = file == "-" ? "standard output" : file;
  std::fprintf(stderr, "%s: a header without rows, as no case has ended\n",
               for_terminal(name).c_str());
}

void end_answer(const Answer& answer, ProgressBar& bar, bool text, const std::string& screen,
                const std::string& next) {
  bar.end();
  if (text && !screen.empty()) show_screen(screen);
  tell_difference(answer.difference, text);
  if (text) suggest(next);
  refuse_unended(answer);
}

bool print_text(const std::vector<std::string>& files) {
  const auto to_standard_output = std::count(files.begin(), files.end(), "-");
  if (to_standard_output > 1) {
    throw BadInput("only one file can go to standard output ('-')");
  }
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (!file->empty() && std::find(files.begin(), file, *file) != file)
      throw BadInput("two outputs would go to '{}'", *file);
  }
  for (const std::string& file : files) require_writable(file);
  return to_standard_output == 0;
}

std::string command_on(const std::string& subcommand, const CaseArguments& cases) {
  std::string words = "ringscope " + subcommand;
  for (const std::string& scenario : cases.scenarios) words += ' ' + shell_word(scenario);
  return words + cases.question.words();
}

}  // namespace ringscope
