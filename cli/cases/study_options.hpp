// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by `sweep` and `place`: how a study is run, and how its winners are checked.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/cases/cases.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "cli/terminal/words.hpp"
#include "sim/studies/shard.hpp"
#include "sim/studies/store_tables.hpp"
#include "topologies/placement/launch/launch_formats.hpp"
#include "topologies/placement/search/symmetry.hpp"

namespace ringscope {

struct StudyOptions : HowArguments {
  std::string store;  ///< "": NAME.sqlite in the working directory
  std::string shard;  ///< of --shard; "": what a launcher says
  bool no_store = false;
  int threads = 0;     ///< 0: all cores
  int verify = 3;      ///< number of winners
  bool prune = false;  ///< the store
  /// An early end has an answer all the same: after `time`, if that is above 0, or by ^C.
  bool may_stop = false;
  Seconds time{};
  std::string limit;  ///< of a sweep, which then has no answer yet; "": none
  // As settle_shard() sets them.
  std::optional<Shard> part;  ///< none: the whole study
  int processes_here = 1;     ///< that share this host's cores
};

/// --threads, --store, --no-store, --shard, --prune, --verify, and those of add_how_options().
void add_study_options(Command& subcommand, StudyOptions& options);

/// Surroundings of a study while it runs: threads, a store, a progress bar, and ^C. Where nobody
/// may stop it with an answer, ^C ends the program, and what was simulated is in the store.
class StudyRun {
 public:
  StudyRun(const StudyOptions& options, const std::string& name, ProgressBar& bar);
  ~StudyRun();
  StudyRun& operator=(StudyRun&&) = delete;  ///< neither copied nor moved

  Evaluator& evaluator() { return *evaluator_; }
  /// How announce() speaks of points.
  struct PointsInWords {
    std::string name = "points";
    std::string fewer = "vary less";  ///< how to have less of them
    double each = 1;                  ///< simulations of one
  };
  /// Says beforehand that it will take long, from what some of its points are estimated to. Throws
  /// InputError or Failure (bad_input) where the memory will not be there.
  void announce(std::size_t points, const MakeScenario& make, const PointsInWords& words);
  /// Prints how long one simulation takes, if that is long; or how many more fit at most until that
  /// share of the time is over, if that is limited.
  void say_pace(double seconds, std::optional<double> until);
  /// "120 points: 118 simulated, 2 from the store, in 0.34 s on 2 threads"; flushes the store. From
  /// here on ^C ends the program at once.
  std::string summary(std::size_t points);

 private:
  void require_memory_at_once(double bytes, double free_bytes) const;
  void show(double share);
  bool stopped(double share);
  [[noreturn]] void stop(double share, const std::string& when, ExitCode code);
  std::string name_;
  Seconds limit_;
  ProgressBar* bar_;
  bool may_stop_;
  bool has_store_;
  Seconds time_;  ///< 0: no limit
  std::unique_ptr<Interrupt> interrupt_;
  std::chrono::steady_clock::time_point start_;
  std::unique_ptr<Evaluator> evaluator_;
};

/// Simulates the shard that the options name into their store, and says on standard error what was
/// done. Throws Failure (bad_input) where it was stopped before its end: it goes on when it is
/// started again.
void run_shard(const Points& points, const StudyOptions& options, ProgressBar& bar);

/// A winner that was simulated once more, by SimGrid.
struct Verified {
  std::string name;
  double time_s = 0, simgrid_s = 0;
  double difference() const;  ///< relative
};

/// SimGrid's results for the winners. A disagreement does not take the answer away: it stands in
/// it.
struct Verification {
  std::vector<Verified> verified;
  std::string
      warning;  ///< times that differ by more than 1e-9, or why there are none; "": all well
  bool interrupted = false;  ///< by ^C, before it had an answer

  /// "Cross-check with SimGrid: the best 3 agree to 2e-14", of `whom`; or the warning; "" for none.
  std::string text(const std::string& whom) const;
};

/// Each in a process of its own. ^C ends it, without an answer.
Verification verify_on_simgrid(std::span<const Scenario> scenarios,
                               std::span<const Outcome> outcomes, ProgressBar& bar,
                               Seconds limit = no_limit);

/// The time of --time-limit; no_limit without.
Seconds limit_of(const StudyOptions& options);

/// Throws Failure (wrong_result) with the warning, if there is one: when all is written.
void end_with_warning(const Verification& verification);

// Detects that mpirun, srun or a job array has started several of us.

/// The launcher's statements in the environment.
struct Launch {
  Shard process;       ///< which of them this is
  int local_size = 1;  ///< number of them on this host
  std::string names;   ///< of the variables that say so
};

using Variable = const char* (*)(const char*);

/// Nothing where this process was started alone. `variable` is std::getenv, or a test's. In a batch
/// script Slurm's variables of a task are there too, though no srun has started several: they count
/// only where somebody has `asked` for them. Throws Failure (bad_input) for numbers that are none.
std::optional<Launch> launch_of(Variable variable, bool asked);

/// Threads for each of `local_size` processes: its share of this host; at least one.
int threads_here(int local_size);

// Which shard of a study this process does, and the store that it fills.

/// Sets options.part by --shard, or by what a launcher says, and the {shard} in options.store.
/// Throws InputError or Failure for a shard that there is not, and for one without a store of its
/// own. `variable`: std::getenv, or a test's.
void settle_shard(StudyOptions& options, Variable variable);
void settle_shard(StudyOptions& options);

/// Refuses options that write or show the answer, each with its text: a shard has none yet.
void refuse_answers(const StudyOptions& options,
                    const std::vector<std::pair<std::string, std::string>>& answers,
                    const std::string& command);

// The files that start the best placement.

struct LaunchFiles {
  /// Names of the files to write, in the order of launch_formats(); "": none.
  std::vector<std::string> names = std::vector<std::string>(launch_formats().size());
  std::string format, output;  ///< `--format` and `-o`: one more of them

  void add_options(Command& command);
  /// Enters `output` in `names`. Throws InputError for an unknown format.
  void settle();

  bool empty() const;
  /// Each with its flag.
  std::vector<std::pair<std::string, std::string>> flags() const;
  /// Throws Failure where ranks in such slots are not started by these alone.
  void require_for(SlotKind slot_kind) const;
  void write(LaunchTask launch) const;
  /// Throws Failure for the file that cannot say this placement: when all else is written.
  void require_written(LaunchTask launch) const;
  /// The commands that start the ranks by these files, one a line.
  std::string lines(LaunchTask launch) const;

 private:
  std::string gpu_file() const;
};

}  // namespace ringscope
