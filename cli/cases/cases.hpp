// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by `run` and `compare`: the choice of cases, and running them.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "cli/terminal/words.hpp"
#include "scenarios/answer/report.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/session/session.hpp"

namespace ringscope {

// The question that a command answers: a scenario, options that change it, or options alone.

struct QuestionArguments {
  std::vector<Override> parts;       ///< --cluster, --library, --model, --placement, --bytes, --job
  std::vector<std::string> changes;  ///< --set, laid over the parts

  std::vector<Override> overrides() const;
  /// " --cluster two_level --set job.bytes=1MiB": the options as a shell takes them.
  std::string words() const;
  /// The cluster, where the options give nothing else.
  std::optional<Value> only_cluster() const;
};

/// Adds these options.
void add_question_options(Command& command, QuestionArguments& arguments);

/// A scenario without keys but its question, for options that give all of them. Throws BadInput
/// where one of `keys` is in no option.
Value spelled_out(const std::string& command, const QuestionArguments& arguments,
                  const std::vector<std::string>& keys);

/// Cases of the scenario called `name`, or, without a name, of the scenario that the options give.
std::vector<Scenario> read_question(const std::string& name, const QuestionArguments& arguments);

/// Throws BadInput where options or cases are asked of `name`, which is a cluster.
void refuse_options_for(const std::string& name, const QuestionArguments& arguments,
                        const std::vector<std::string>& only);

// Many cases at once, in processes beside this one.
//
// A forked child simulates one case after another, and sends each report back through a socket: to
// fork for each would copy touched memory again and again. After a failure, much memory, or a run
// of SimGrid's engine, which can exist once in a process, the next case has a new child. A child
// that throws or dies takes no other case with it.

inline constexpr Seconds no_limit{std::numeric_limits<double>::infinity()};

using Simulate = std::function<Report(const Case&, const RunOptions&)>;

/// Cases whose cost nobody asked for.
std::vector<Case> cases_of(std::span<const Scenario> scenarios);

std::size_t cases_at_once();

/// As many children at a time as cases_at_once(); the reports stand in the order of the cases.
/// After ^C those that had ended. `options.progress` is called in this process with the share of
/// all cases that is done. A case that takes longer than `limit` is ended, and fails as bad input.
/// Throws the Failure of the first case that failed, when all have ended: what the simulator
/// reported, or the name of a case whose process died.
SomeReports run_some_cases(std::span<const Case> cases, const RunOptions& options,
                           const Simulate& one = simulate_case, Seconds limit = no_limit);

/// Likewise. Throws Failure (interrupted) where one has not ended.
std::vector<Report> run_cases(std::span<const Scenario> scenarios, const RunOptions& options,
                              const Simulate& one = simulate_case, Seconds limit = no_limit);

// One question asked of two kernels: by how much do their answers differ?

/// By how much the times of two kernels' reports differ at most.
struct KernelDifference {
  static constexpr double tolerance = 1e-9;

  std::size_t cases = 0, times = 0;  ///< that were compared
  double share = 0;                  ///< of the case's time
  std::string name, what;  ///< which differ most: the case, the time as JSON has it; or ""
  double fluid_s = 0, simgrid_s = 0;

  bool is_defect() const { return share > tolerance; }
  std::string text() const;  ///< a sentence
  void merge(const KernelDifference& other);
};

/// Compares cases in their order. One that is stuck on one kernel alone differs without bound.
KernelDifference kernel_difference(std::span<const Report> fluid, std::span<const Report> simgrid);

// The choice of cases, and running them.

/// How cases and points of a study are simulated.
struct HowArguments {
  bool no_skip = false, no_fold = false;
  std::string tolerance = "0";
};

/// Throws InputError for a tolerance that is none.
void set_how(const HowArguments& arguments, RunOptions& options);

struct CaseArguments : HowArguments {
  std::vector<std::string> scenarios;  ///< none: the question's options give all
  QuestionArguments question;
  std::vector<std::string> only;  ///< of --case
  std::string against;            ///< case that comes first; "": as they are in the file
  std::string kernel = "fluid";   ///< or another, or "both"
  int fold_from = fewest_folded_ranks;
  std::string limit = "3600 s";  ///< of the time that a case may take
};

/// SCENARIO..., the question's options, --kernel, those of add_how_options(), --fold-from and
/// --time-limit.
void add_case_arguments(Command& subcommand, CaseArguments& arguments);

/// A time above 0 on the clock of the wall, as `option` says it: "60s". Throws InputError.
Seconds wall_time(const std::string& option, const std::string& text);

/// Time of --time-limit.
Seconds limit_of(const std::string& text);

/// Adds --exact (--no-skip and --no-fold), --no-skip, --tolerance and --no-fold. Returns the
/// options that leave nothing folded.
std::array<Option, 2> add_how_options(Command& subcommand, HowArguments& arguments);

/// A share from 0 to 0.1, as --tolerance says it: "0.1%" or "0.001". Throws InputError.
double tolerance_of(const std::string& text);

/// Cases of the names, in the order of the names, or all where there are none. The words that come
/// last in a case's name will do. Throws Failure for a name that no case has.
std::vector<Scenario> only_cases(std::vector<Scenario> scenarios,
                                 const std::vector<std::string>& only,
                                 const std::string& option = "--case");

/// Reads the cases that --case names, or all; no two have one name. Throws Failure for an unknown
/// kernel.
std::vector<Scenario> scenarios_of(const CaseArguments& arguments);

struct Answer {
  std::vector<Report> reports;                 ///< of the cases that have ended, in their order
  std::optional<KernelDifference> difference;  ///< of --kernel both, whose reports are fluid's
  std::string interrupted;  ///< what ^C has kept from being: "2 of 5 cases had ended"; "" nothing
};

/// Part of a bar on which a run shows its share.
struct BarShare {
  ProgressBar* bar = nullptr;
  double begin = 0, end = 1;
};

/// Simulates the cases as the arguments and `options` say. The first run of a bar says beforehand
/// on standard error what will take long, of the whole bar, and refuses cases for which there is
/// not enough memory. Throws Failure (interrupted) where ^C comes before any case has ended.
Answer run_with(const CaseArguments& arguments, const std::vector<Scenario>& scenarios,
                const BarShare& share, RunOptions options = {},
                const Simulate& one = simulate_case);

/// Reads and simulates all cases; records spans and chains where asked to.
Answer run_cases_of(const CaseArguments& arguments, ProgressBar& bar, RunOptions options = {});

/// Ends the bar before anything else goes to the terminal: at once, or, where all outputs are
/// files, when the text for people is written; until then it says that they are.
void begin_writing(ProgressBar& bar, bool text);

/// Spans and chains, of cases that are stuck too.
RunOptions recording(bool record);

/// Those that are not stuck.
std::vector<Report> ended_ones(const std::vector<Report>& reports);

/// Writes the CSV whose rows are cases that have ended. Where there is none, says so on standard
/// error, since the file cannot.
void write_rows(const std::string& file, const std::string& csv,
                const std::vector<Report>& reports);

/// Call after writing outputs: shows the screen as the text for people, says by how much the
/// kernels of --kernel both differ and which command is useful next. Throws if any case deadlocked
/// or was interrupted, or where the difference is a defect.
void end_answer(const Answer& answer, ProgressBar& bar, bool text, const std::string& screen,
                const std::string& next);

/// Text for people, unless one of the files goes to standard output: then that is for a program.
/// Throws Failure when two of them are one, and for one that cannot be written.
bool print_text(const std::vector<std::string>& files);

// Words of a command that asks the same cases something else.

/// "ringscope explain 03-anomaly --set job.bytes=1MiB", for a subcommand and its cases.
std::string command_on(const std::string& subcommand, const CaseArguments& cases);

}  // namespace ringscope
