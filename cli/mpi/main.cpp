// ringscope-mpi: the scenarios of the simulator, run for real by an MPI job.
//
// Not linked with the simulator: SimGrid's library defines MPI's functions too, its own ones.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "cli/failure.hpp"
#include "cli/output_file.hpp"
#include "scenarios/report.hpp"
#include "scenarios/report_formats.hpp"
#include "validation/measurement.hpp"
#include "validation/mpi/replay.hpp"

namespace ringscope::mpi {
namespace {

struct Arguments {
  std::vector<std::string> scenarios, changes;
  std::string output = "-";
  ReplayOptions options;
  double timeout_s = 300;
};

/// Ends the process when a case takes too long, after saying where this rank is.
class Watchdog {
 public:
  Watchdog(const MpiExecutor& executor, double timeout_s)
      : executor_(&executor), timeout_(timeout_s), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, timeout_, [this] { return over_; })) return;
    const Whereabouts& where = executor_->whereabouts();
    const std::string phase =
        where.phase.empty() ? "" : fmt::format("{}, step {}, ", where.phase, where.step);
    fmt::print(stderr, "timeout after {} s: rank {} is in {}{}{}\n", timeout_.count(),
               executor_->rank(), phase, verb_names[static_cast<std::size_t>(where.verb)],
               where.peer < 0 ? "" : fmt::format(" with rank {}", where.peer));
    std::fflush(stderr);
    // The others say where they are before the launcher ends them too.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    std::_Exit(static_cast<int>(ExitCode::stuck));
  }

  const MpiExecutor* executor_;
  Duration timeout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

std::vector<Scenario> read_all(const Arguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& change : arguments.changes) overrides.push_back(parse_override(change));
  std::vector<Scenario> cases;
  for (const std::string& name : arguments.scenarios)
    for (Scenario& one : read_scenarios(name, overrides)) cases.push_back(std::move(one));
  return cases;
}

Json case_json(const Scenario& scenario, const CaseSamples& samples) {
  const Spread spread = spread_of(samples.samples_s);
  Json ranks = Json::array();
  for (std::size_t i = 0; i < samples.ranks.size(); ++i) {
    Json seconds = Json::object();
    for (std::size_t verb = 0; verb < verb_names.size(); ++verb)
      if (samples.ranks[i].seconds[verb] > 0)
        seconds[std::string(verb_names[verb])] = samples.ranks[i].seconds[verb];
    ranks.push_back({{"rank", i}, {"host", samples.ranks[i].host}, {"seconds", seconds}});
  }
  return {{"name", scenario.name},
          {"scenario", to_json(scenario.resolved)},
          {"collective", scenario.job.algorithm->collective},
          {"algorithm", scenario.job.algorithm->name},
          {"ranks_count", samples.ranks.size()},
          {"bytes", scenario.job.bytes.count},
          {"median_s", spread.median_s},
          {"p10_s", spread.p10_s},
          {"p90_s", spread.p90_s},
          {"samples_s", samples.samples_s},
          {"ranks", ranks}};
}

double timer_cost() {
  constexpr int readings = 1000;
  const double start = MPI_Wtime();
  for (int i = 0; i < readings; ++i) MPI_Wtime();
  return (MPI_Wtime() - start) / readings;
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

void run_cases(const Arguments& arguments, const std::vector<Scenario>& cases,
               Provenance provenance) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const Scenario& scenario : cases) check_replayable(scenario, ranks);
  if (rank == 0) require_writable(arguments.output);
  provenance.mpi = mpi_version();
  provenance.start = "two barriers";
  provenance.timer_s = timer_cost();
  provenance.warmups = arguments.options.warmups;
  Json results = Json::array();
  for (const Scenario& scenario : cases) {
    Vectors vectors;
    MpiExecutor executor(MPI_COMM_WORLD, vectors, scenario.job.algorithm->threads);
    const Watchdog watchdog(executor, arguments.timeout_s);
    const CaseSamples samples =
        replay(scenario, MPI_COMM_WORLD, executor, vectors, arguments.options);
    results.push_back(case_json(scenario, samples));
  }
  if (rank != 0) return;
  const Json document = {
      {"schema", 1}, {"kind", "replay"}, {"where", to_json(provenance)}, {"cases", results}};
  write_output(arguments.output, document.dump(2) + '\n');
}

/// Threads only where a case asks for them: they cost every MPI call a lock.
void start_mpi(const std::vector<Scenario>& cases) {
  const bool threads = std::any_of(cases.begin(), cases.end(), [](const Scenario& scenario) {
    return scenario.job.algorithm->threads > 1;
  });
  const int wanted = threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, wanted, &provided);
  if (provided < wanted)
    throw Failure(ExitCode::bad_input, "this MPI library does not offer MPI_THREAD_MULTIPLE");
}

int replay_command(const Arguments& arguments, int count, char** words) {
  const std::vector<Scenario> cases = read_all(arguments);
  start_mpi(cases);
  run_cases(arguments, cases, provenance_here(count, words));
  MPI_Finalize();
  return static_cast<int>(ExitCode::ok);
}

/// What is wrong with the input, every rank finds: one says so, and all end in good order.
int refuse(const InputError& error) {
  int started = 0, rank = 0;
  MPI_Initialized(&started);
  if (started == 0) MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fmt::print(stderr, "{}\n", error.what());
  MPI_Finalize();
  return static_cast<int>(ExitCode::bad_input);
}

/// What only this rank has found ends the others too.
int abort_all(const char* message, ExitCode code) {
  fmt::print(stderr, "{}\n", message);
  std::fflush(stderr);
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  return static_cast<int>(code);
}

}  // namespace
}  // namespace ringscope::mpi

int main(int count, char** words) {
  using namespace ringscope;
  CLI::App program("The scenarios of the simulator, run for real: mpirun -n P ringscope-mpi ...",
                   "ringscope-mpi");
  program.set_version_flag("--version", std::string("ringscope-mpi ") + RINGSCOPE_VERSION);
  program.require_subcommand(1);
  mpi::Arguments arguments;
  CLI::App* replay = program.add_subcommand("replay", "Run scenarios and time them");
  replay->add_option("SCENARIO", arguments.scenarios, "a name from scenarios/, or a file")
      ->required();
  replay->add_option("--set", arguments.changes, "KEY=VALUE, as for ringscope run");
  replay->add_option("-o,--output", arguments.output,
                     "the measurement (validation/measurement.md)");
  replay->add_option("--repetitions", arguments.options.repetitions, "samples per case")
      ->check(CLI::Range(1, 1000000));
  replay->add_option("--warmups", arguments.options.warmups, "runs before the samples")
      ->check(CLI::Range(0, 1000000));
  replay->add_option("--timeout", arguments.timeout_s, "seconds that a case may take")
      ->check(CLI::PositiveNumber);
  replay->footer("Example:\n  mpirun -n 8 ringscope-mpi replay 03-anomaly -o real.json");
  try {
    program.parse(count, words);
    return mpi::replay_command(arguments, count, words);
  } catch (const CLI::ParseError& error) {
    return static_cast<int>(program.exit(error) == 0 ? ExitCode::ok : ExitCode::bad_input);
  } catch (const Failure& failure) {
    return mpi::abort_all(failure.what(), failure.code());
  } catch (const InputError& error) {
    return mpi::refuse(error);
  } catch (const mpi::WrongResult& error) {
    return mpi::abort_all(error.what(), ExitCode::wrong_result);
  } catch (const std::exception& error) {
    return mpi::abort_all(error.what(), ExitCode::stuck);
  }
}
