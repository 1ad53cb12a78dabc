#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/mpi/job.hpp"
#include "cli/mpi/subcommands.hpp"
#include "cli/mpi/watchdog.hpp"
#include "validation/mpi/replay.hpp"

namespace ringscope::mpi {
namespace {

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

std::string place_of(const MpiExecutor& executor) {
  const Whereabouts& where = executor.whereabouts();
  const std::string phase =
      where.phase.empty() ? "" : fmt::format("{}, step {}, ", where.phase, where.step);
  const std::string peer = where.peer < 0 ? "" : fmt::format(" with rank {}", where.peer);
  return fmt::format("{}{}{}", phase, verb_names[static_cast<std::size_t>(where.verb)], peer);
}

Json ranks_json(const CaseSamples& samples) {
  Json ranks = Json::array();
  for (std::size_t i = 0; i < samples.ranks.size(); ++i) {
    Json seconds = Json::object();
    for (std::size_t verb = 0; verb < verb_names.size(); ++verb)
      if (samples.ranks[i].seconds[verb] > 0)
        seconds[std::string(verb_names[verb])] = samples.ranks[i].seconds[verb];
    ranks.push_back({{"rank", i}, {"host", samples.ranks[i].host}, {"seconds", seconds}});
  }
  return ranks;
}

/// The placement is where the ranks were, whatever the scenario asked for.
Json case_json(const Scenario& scenario, const CaseSamples& samples,
               const std::vector<std::string>& hosts) {
  const Json parameters = {{"bytes", scenario.job.bytes.count},
                           {"collective", scenario.job.algorithm->collective},
                           {"algorithm", scenario.job.algorithm->name},
                           {"ranks_count", hosts.size()},
                           {"hosts_count", hosts_count(hosts)},
                           {"placement", placement_text(hosts)}};
  Json entry = measurement_json(scenario.job.algorithm->collective, parameters, samples.samples_s);
  entry["name"] = scenario.name;
  entry["scenario"] = to_json(scenario.resolved);
  entry["ranks"] = ranks_json(samples);
  return entry;
}

void run_cases(const Arguments& arguments, const std::vector<Scenario>& cases) {
  for (const Scenario& scenario : cases) check_replayable(scenario, size_of(MPI_COMM_WORLD));
  check(arguments.job);
  Provenance where = provenance_of_job(arguments.job);
  where.start = "two barriers";
  where.warmups = arguments.replay.warmups;
  const int rank = rank_of(MPI_COMM_WORLD);
  Json results = Json::array();
  for (const Scenario& scenario : cases) {
    Vectors vectors;
    MpiExecutor executor(MPI_COMM_WORLD, vectors, scenario.job.algorithm->threads);
    const Watchdog watchdog(Seconds(arguments.job.timeout_s), rank,
                            [&executor] { return place_of(executor); });
    const CaseSamples samples =
        replay(scenario, MPI_COMM_WORLD, executor, vectors, arguments.replay);
    if (rank == 0) results.push_back(case_json(scenario, samples, where.hosts));
  }
  if (rank == 0) write_document(arguments.job, "replay", where, std::move(results));
}

void replay_command(const Arguments& arguments) {
  const std::vector<Scenario> cases = read_all(arguments);
  start_mpi(std::any_of(cases.begin(), cases.end(), [](const Scenario& scenario) {
    return scenario.job.algorithm->threads > 1;
  }));
  run_cases(arguments, cases);
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
  replay->add_option("--repetitions", arguments->replay.repetitions, "samples per case")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  replay->add_option("--warmups", arguments->replay.warmups, "runs before the samples")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  replay->footer("Example:\n  mpirun -n 8 ringscope-mpi replay 03-anomaly -o real.json");
  replay->callback([arguments] { replay_command(*arguments); });
}

}  // namespace ringscope::mpi
