// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/table.hpp"
#include "cli/mpi/job.hpp"
#include "cli/replays/measuring.hpp"
#include "validation/executors/mpi/probes/send_check.hpp"
#include "validation/executors/mpi/replay.hpp"

namespace ringscope::mpi {
namespace {

constexpr Array<std::string_view, 2> start_names = {"clock", "barrier"};  // by StartMode
constexpr double finalize_s = 30;

struct ReplayArguments {
  ScenarioArguments asked;
  ReplayOptions replay;
  JobOptions job;
  double stall_s = 0;  ///< 0: by the scenario
};

/// A call of MPI's own needs no threads of ours.
int threads_for(const Scenario& scenario, const ReplayOptions& options) {
  return options.call.empty() ? threads_of(*scenario.job.algorithm, scenario.job.options) : 1;
}

/// Name of the mode, for the document. Collective.
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

/// Provenance of this job. Collective.
Provenance provenance_of(const ReplayArguments& arguments) {
  const Watchdog watchdog(Seconds(arguments.job.timeout_s), rank_of(MPI_COMM_WORLD),
                          [] { return "the start of the job"; });
  Provenance where = provenance_of_job(arguments.job);
  where.warmups = arguments.replay.repetitions.warmups;
  where.start = start_text(arguments.replay.start, MPI_COMM_WORLD);
  where.instrument_s = instrument_s();
  return where;
}

Json case_json(const Scenario& scenario, CaseSamples samples, const std::vector<std::string>& hosts,
               const std::string& call) {
  Json entry = replay_entry(scenario, samples, hosts, call);
  entry["start"] = start_names[samples.start];
  entry["missed_starts"] = samples.missed_starts;
  if (samples.start == StartMode::clock) entry["start_spread_s"] = samples.start_spread_s;
  entry["ranks"] = std::move(samples.ranks);
  return entry;
}

void run_cases(const ReplayArguments& arguments, const std::vector<Scenario>& cases) {
  for (const Scenario& scenario : cases)
    check_replayable(scenario, size_of(MPI_COMM_WORLD), arguments.replay);
  check(arguments.job);
  const Provenance where = provenance_of(arguments);
  const int rank = rank_of(MPI_COMM_WORLD);
  if (arguments.replay.call.empty()) {
    const Watchdog watchdog(Seconds(arguments.job.timeout_s), rank,
                            [] { return "the check of the sends"; });
    check_sends(MPI_COMM_WORLD, where.hosts, cases);
  }
  Json results = Json::array();
  for (const Scenario& scenario : cases) {
    Vectors vectors;
    MpiExecutor executor(MPI_COMM_WORLD, vectors, threads_for(scenario, arguments.replay),
                         arguments.replay.phases);
    const auto place = [&executor] { return executor.whereabouts().text(); };
    const Watchdog whole(Seconds(arguments.job.timeout_s), rank, place);
    const double asked_s = arguments.stall_s;
    const Watchdog stall(asked_s > 0 ? Seconds(asked_s) : longest_operation(scenario), rank, place,
                         [&executor] { return executor.whereabouts().entered(); });
    CaseSamples samples = replay(scenario, MPI_COMM_WORLD, executor, vectors, arguments.replay);
    if (rank == 0)
      results.push_back(
          case_json(scenario, std::move(samples), where.hosts, arguments.replay.call));
  }
  if (rank == 0) write_document(arguments.job.output, "replay", where, std::move(results));
}

void add_measuring_options(Command& replay, ReplayOptions& options) {
  add_timing_options(replay, options.repetitions);
  const std::map<std::string, StartMode> modes = {{"clock", StartMode::clock},
                                                  {"barrier", StartMode::barrier}};
  replay.add_choice("--start", options.start, modes);
  replay.add_flag("--phases", options.phases);
  replay.add_option("--call", options.call).one_of({"MPI_Allreduce"});
}

void replay_command(const ReplayArguments& arguments) {
  const std::vector<Scenario> cases = read_all(arguments.asked);
  start_mpi(std::any_of(cases.begin(), cases.end(), [&arguments](const Scenario& scenario) {
    return threads_for(scenario, arguments.replay) > 1;
  }));
  run_cases(arguments, cases);
  // Debian's MPICH does not always return from it.
  const Watchdog watchdog(Seconds(finalize_s), rank_of(MPI_COMM_WORLD),
                          [] { return "MPI_Finalize; the measurements are written"; });
  MPI_Finalize();
}

}  // namespace

void add_replay(Command& program, const std::string& command) {
  auto [replay, arguments] = program.add_subcommand("replay", replay_command);
  arguments.job.command = command;
  arguments.job.timeout_s = 300;
  add_scenario_arguments(replay, arguments.asked);
  add_job_options(replay, arguments.job);
  replay.add_option("--stall", arguments.stall_s).above_zero();
  add_measuring_options(replay, arguments.replay);
}

}  // namespace ringscope::mpi
