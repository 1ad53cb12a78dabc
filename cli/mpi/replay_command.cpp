#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "cli/mpi/job.hpp"
#include "cli/mpi/subcommands.hpp"
#include "cli/mpi/watchdog.hpp"
#include "validation/mpi/replay.hpp"

namespace ringscope::mpi {
namespace {

constexpr std::array<std::string_view, 2> start_names = {"clock", "barrier"};  // by StartMode
constexpr double finalize_s = 30;

struct Arguments {
  std::vector<std::string> scenarios, changes;
  ReplayOptions replay;
  JobOptions job;
};

std::vector<Scenario> read_all(const Arguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& change : arguments.changes) overrides.push_back(parse_override(change));
  std::vector<Scenario> cases;
  for (const std::string& name : arguments.scenarios)
    for (Scenario& one : read_scenarios(name, overrides)) cases.push_back(std::move(one));
  return cases;
}

/// A call of MPI's own needs no threads of ours.
int threads_for(const Scenario& scenario, const ReplayOptions& options) {
  return options.call.empty() ? threads_of(*scenario.job.algorithm, scenario.job.options) : 1;
}

/// For the document. Collective.
std::string start_text(StartMode mode, MPI_Comm comm) {
  if (mode == StartMode::barrier) return "barrier";
  double wrong_by = CommonClock(comm).uncertainty();
  MPI_Allreduce(MPI_IN_PLACE, &wrong_by, 1, MPI_DOUBLE, MPI_MAX, comm);
  return wrong_by > 0 ? fmt::format("clock, offsets within {:.1f} us", wrong_by * 1e6)
                      : "clock, the same on all ranks";
}

double instrument_s() {
  Vectors none;
  return MpiExecutor(MPI_COMM_SELF, none, 1).instrument_s();
}

/// Of this job. Collective.
Provenance provenance_of(const Arguments& arguments) {
  const Watchdog watchdog(Seconds(arguments.job.timeout_s), rank_of(MPI_COMM_WORLD),
                          [] { return "the start of the job"; });
  Provenance where = provenance_of_job(arguments.job);
  where.warmups = arguments.replay.warmups;
  where.start = start_text(arguments.replay.start, MPI_COMM_WORLD);
  where.instrument_s = instrument_s();
  return where;
}

/// The placement is where the ranks were, whatever the scenario asked for.
Json case_json(const Scenario& scenario, CaseSamples samples, const std::vector<std::string>& hosts,
               const std::string& call) {
  const Json parameters = {{"bytes", scenario.job.bytes.count},
                           {"collective", scenario.job.algorithm->collective},
                           {"algorithm", call.empty() ? scenario.job.algorithm->name : ""},
                           {"ranks_count", hosts.size()},
                           {"hosts_count", hosts_count(hosts)},
                           {"placement", placement_text(hosts)}};
  Json entry = measurement_json(scenario.job.algorithm->collective, parameters, samples.samples_s);
  entry["name"] = call.empty() ? scenario.name : scenario.name + ' ' + call;
  entry["scenario"] = to_json(scenario.resolved);
  entry["stopped_by"] = samples.stopped_by;
  entry["start"] = start_names[static_cast<std::size_t>(samples.start)];
  entry["missed_starts"] = samples.missed_starts;
  if (samples.start == StartMode::clock) entry["start_spread_s"] = samples.start_spread_s;
  entry["ranks"] = std::move(samples.ranks);
  return entry;
}

void run_cases(const Arguments& arguments, const std::vector<Scenario>& cases) {
  for (const Scenario& scenario : cases)
    check_replayable(scenario, size_of(MPI_COMM_WORLD), arguments.replay);
  check(arguments.job);
  const Provenance where = provenance_of(arguments);
  const int rank = rank_of(MPI_COMM_WORLD);
  Json results = Json::array();
  for (const Scenario& scenario : cases) {
    Vectors vectors;
    MpiExecutor executor(MPI_COMM_WORLD, vectors, threads_for(scenario, arguments.replay),
                         arguments.replay.phases);
    const Watchdog watchdog(Seconds(arguments.job.timeout_s), rank,
                            [&executor] { return executor.whereabouts().text(); });
    CaseSamples samples = replay(scenario, MPI_COMM_WORLD, executor, vectors, arguments.replay);
    if (rank == 0)
      results.push_back(
          case_json(scenario, std::move(samples), where.hosts, arguments.replay.call));
  }
  if (rank == 0) write_document(arguments.job, "replay", where, std::move(results));
}

void add_timing_options(CLI::App& replay, ReplayOptions& options) {
  StoppingRule& stop = options.stop;
  const CLI::Range counts(1, 1000000), shares(1e-6, 1 - 1e-6);
  const auto add = [&replay](const char* name, auto& value, const char* help) {
    return replay.add_option(name, value, help)->capture_default_str();
  };
  add("--repetitions", stop.least, "samples per case, at least")->check(counts);
  add("--max-repetitions", stop.most, "samples per case, at most; --repetitions goes before it")
      ->check(counts);
  add("--precision", stop.precision,
      "enough, when the median's confidence interval reaches this share of it to either side")
      ->check(CLI::PositiveNumber);
  add("--confidence", stop.confidence, "of that interval")->check(shares);
  add("--budget", stop.budget_s, "seconds after which a case gets no more samples than the least")
      ->check(CLI::PositiveNumber);
  add("--warmups", options.warmups, "runs before the samples")->check(CLI::Range(0, 1000000));
  const std::map<std::string, StartMode> modes = {{"clock", StartMode::clock},
                                                  {"barrier", StartMode::barrier}};
  replay
      .add_option("--start", options.start,
                  "clock (default): at an agreed time; barrier: after two of them")
      ->transform(CLI::CheckedTransformer(modes));
  replay.add_flag("--phases", options.phases, "also the seconds inside each step of each phase");
  replay
      .add_option("--call", options.call, "MPI's own collective in place of the algorithm's text")
      ->check(CLI::IsMember({"MPI_Allreduce"}));
}

void replay_command(const Arguments& arguments) {
  const std::vector<Scenario> cases = read_all(arguments);
  start_mpi(std::any_of(cases.begin(), cases.end(), [&arguments](const Scenario& scenario) {
    return threads_for(scenario, arguments.replay) > 1;
  }));
  run_cases(arguments, cases);
  // Debian's MPICH does not always return from it.
  const Watchdog watchdog(Seconds(finalize_s), rank_of(MPI_COMM_WORLD),
                          [] { return "MPI_Finalize; what was measured is written"; });
  MPI_Finalize();
}

}  // namespace

void add_replay(CLI::App& program, const std::string& command) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->job.command = command;
  arguments->job.timeout_s = 300;
  CLI::App* replay = program.add_subcommand("replay", "Run scenarios and time them");
  replay->add_option("SCENARIO", arguments->scenarios, "a name from scenarios/, or a file")
      ->required();
  replay->add_option("--set", arguments->changes, "KEY=VALUE, as for ringscope run");
  add_job_options(*replay, arguments->job, "a case");
  add_timing_options(*replay, arguments->replay);
  replay->footer("Example:\n  mpirun -n 8 ringscope-mpi replay 03-anomaly -o real.json");
  replay->callback([arguments] { replay_command(*arguments); });
}

}  // namespace ringscope::mpi
