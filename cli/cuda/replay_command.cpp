// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/table.hpp"
#include "cli/cuda/open_gpus.hpp"
#include "cli/replays/measuring.hpp"
#include "cli/terminal/failure.hpp"
#include "topologies/input/input.hpp"
#include "validation/executors/cuda/executor/replay.hpp"
#include "validation/executors/measurement.hpp"

namespace ringscope::cuda {
namespace {

using Json = nlohmann::ordered_json;
constexpr double grace_s = 2;

struct ReplayArguments {
  std::string command, output = "-", emulated, segment = "1 MiB";
  int ranks = 0;  ///< 0: as the scenario places them
  ScenarioArguments asked;
  ReplayOptions replay;
};

Provenance provenance(const ReplayArguments& arguments, Gpus& gpus,
                      const std::vector<int>& gpu_of_rank) {
  Provenance where = provenance_on(gpus, gpu_of_rank, arguments.command);
  where.warmups = arguments.replay.repetitions.warmups;
  where.emulated = arguments.emulated;
  return where;
}

Json case_json(const Scenario& scenario, CaseSamples samples, const CudaExecutor& executor,
               const ReplayOptions& options) {
  const Table<std::string> hosts(executor.size(), host_name());
  Json entry = replay_entry(scenario, samples, hosts, "");
  const std::string path = paths_text(executor);
  entry["path"] = path;
  if (path.find(path_names[Path::staged]) != std::string::npos) {
    const TransferOptions& transfers = options.executor.transfers;
    entry["host_memory"] = transfers.host_memory == HostMemory::pinned ? "pinned" : "pageable";
    entry["segment_bytes"] = transfers.segment_bytes;
    entry["buffers"] = transfers.buffers;
  }
  entry["progress"] = options.executor.progress == ProgressBy::polling ? "polling" : "callbacks";
  entry["ranks"] = std::move(samples.ranks);
  return entry;
}

/// A GPU that hangs would keep every call that gives something back: the process ends at once.
[[noreturn]] void end_stuck(const Stuck& stuck) {
  fmt::print(stderr, "{}\n", stuck.what());
  std::fflush(stderr);
  std::_Exit(static_cast<int>(ExitCode::stuck));
}

Json measure(const Scenario& scenario, Gpus& gpus, const ReplayOptions& options) {
  CudaExecutor executor(gpus, gpu_of_ranks(scenario, gpus, options), options.executor);
  // The executor finds out by itself what does not end, unless a call of the runtime keeps it.
  const Watchdog watchdog(Seconds(options.timeout_s + grace_s),
                          [&executor] { return executor.whereabouts(); });
  try {
    CaseSamples samples = replay(scenario, gpus, executor, options);
    return case_json(scenario, std::move(samples), executor, options);
  } catch (const Stuck& stuck) {
    end_stuck(stuck);
  }
}

void check_gpus(const std::vector<int>& asked, const Gpus& gpus) {
  for (const int gpu : asked)
    if (gpu < 0 || gpu >= gpus.count())
      throw BadInput("--gpus: expected GPUs from 0 to {}, got {}", gpus.count() - 1, gpu);
}

void replay_command(ReplayArguments& arguments) {
  ReplayOptions& options = arguments.replay;
  options.executor.transfers.segment_bytes =
      sizes_of("--segment", {arguments.segment},
               {item_bytes, UINT64_MAX, item_bytes, "a positive number of whole floats of 4 B"})[0];
  if (arguments.ranks > 0)
    arguments.asked.changes.push_back(fmt::format("placement={}", arguments.ranks));
  const std::vector<Scenario> cases = read_all(arguments.asked);
  require_writable(arguments.output);
  const std::unique_ptr<Gpus> gpus = open_gpus();
  check_gpus(options.gpus, *gpus);
  for (const Scenario& scenario : cases) {
    check_replayable(scenario, *gpus, options);
    if (scenario.placement.ranks.size() != cases.front().placement.ranks.size())
      scenario.resolved.fail(
          "one document has cases of one number of ranks: replay this one by itself, or give "
          "--ranks");
  }
  const Provenance where =
      provenance(arguments, *gpus, gpu_of_ranks(cases.front(), *gpus, options));
  Json results = Json::array();
  for (const Scenario& scenario : cases) results.push_back(measure(scenario, *gpus, options));
  write_document(arguments.output, "replay", where, std::move(results));
}

void add_path_options(Command& replay, ReplayArguments& arguments) {
  ExecutorOptions& executor = arguments.replay.executor;
  replay.add_choice<bool>("--path", executor.transfers.always_staged,
                          {{"auto", false}, {"staged", true}});
  replay.add_choice<HostMemory>(
      "--host-memory", executor.transfers.host_memory,
      {{"pinned", HostMemory::pinned}, {"pageable", HostMemory::pageable}});
  replay.add_option("--segment", arguments.segment).show_default();
  replay.add_option("--buffers", executor.transfers.buffers).show_default().between(1, 1024);
  replay.add_choice<ProgressBy>(
      "--progress", executor.progress,
      {{"polling", ProgressBy::polling}, {"callbacks", ProgressBy::callbacks}});
  replay.add_option("--gpus", arguments.replay.gpus).separated_by(',');
}

}  // namespace

void add_replay(Command& program, const std::string& command) {
  auto [replay, arguments] = program.add_subcommand("replay", replay_command);
  arguments.command = command;
  add_scenario_arguments(replay, arguments.asked);
  replay.add_option("-o,--output", arguments.output);
  replay.add_option("--ranks", arguments.ranks).between(1, 1024);
  add_path_options(replay, arguments);
  add_timing_options(replay, arguments.replay.repetitions);
  replay.add_flag("--phases", arguments.replay.executor.phases);
  replay.add_option("--timeout", arguments.replay.timeout_s).show_default().above_zero();
  replay.add_option("--emulated", arguments.emulated);
}

}  // namespace ringscope::cuda
