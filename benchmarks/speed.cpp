// SPDX-License-Identifier: LGPL-2.1-or-later
// One row of the table of speeds: one simulation, or one bare kernel loop, in one process.
//
//   speed run SCENARIO [--kernel K] [--no-skip] [--no-fold] [--estimate] [--tolerance SHARE]
//             [--set KEY=VALUE]...
//   speed bare RANKS [--kernel K]
//
// Prints one line of JSON: what was simulated, what CPU time and memory this process took.
// benchmarks/table runs all rows and sets them beside each other.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmarks/bare_ring.hpp"
#include "scenarios/question/estimate.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/simulation.hpp"

namespace {

using namespace ringscope;
using nlohmann::ordered_json;

/// CPU time of this process, whatever others do on the machine: one thread, which never waits.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Peak memory of this program alone: getrusage() also counts what its parent held when it forked.
std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::uint64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  return 0;
}

struct Arguments {
  std::string scenario, kernel = "fluid";
  std::vector<std::string> set;
  bool no_skip = false, no_fold = false, estimate = false;
  double tolerance = 0;
  int ranks = 0;
};

/// Figures told beforehand of the run, without it.
ordered_json estimated(const RunOptions& options, const Scenario& scenario) {
  const Estimate estimate =
      estimate_of(scenario, options.kernel == "simgrid",
                  {scenario.placement.ranks.size(), simulated_repetitions(scenario, options)});
  return {{"ranks", estimate.ranks},
          {"messages", estimate.messages},
          {"seconds", estimate.seconds},
          {"memory_bytes", estimate.memory_bytes}};
}

ordered_json run(const Arguments& arguments) {
  const auto scenarios = read_scenarios(arguments.scenario, parse_overrides(arguments.set));
  const double read = cpu_seconds();
  RunOptions options;
  options.kernel = arguments.kernel;
  options.skip = !arguments.no_skip;
  options.tolerance = arguments.tolerance;
  if (arguments.no_fold) options.fold_from = never_fold;
  options.fold_channels = !arguments.no_fold;
  if (arguments.estimate) return estimated(options, scenarios.front());
  const Report report = simulate(scenarios.front(), options);
  const std::size_t repetitions = report.times_s.size();
  return {{"ranks", report.ranks},
          {"repetitions", repetitions},
          {"messages", report.messages * repetitions},
          {"skipped", report.skipped_messages},
          {"simulated_ranks", report.simulated_ranks},
          {"simulated_s", report.time_s},
          {"read_s", read},
          {"cpu_s", cpu_seconds()},
          {"peak_bytes", peak_bytes()}};
}

ordered_json bare(const Arguments& arguments) {
  benchmarks::BareRing ring(static_cast<std::size_t>(arguments.ranks), arguments.kernel);
  ring.run();
  return {{"ranks", arguments.ranks},   {"repetitions", 1}, {"messages", ring.messages()},
          {"simulated_s", ring.time()}, {"read_s", 0},      {"cpu_s", cpu_seconds()},
          {"peak_bytes", peak_bytes()}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("One row of the table of speeds.");
  app.require_subcommand(1);
  Arguments arguments;
  CLI::App& of_run = *app.add_subcommand("run", "Simulate a scenario.");
  of_run.add_option("scenario", arguments.scenario)->required();
  of_run.add_option("--set", arguments.set)->allow_extra_args(false);
  of_run.add_flag("--no-skip", arguments.no_skip);
  of_run.add_flag("--estimate", arguments.estimate, "say beforehand how much it is, and end");
  of_run.add_option("--tolerance", arguments.tolerance, "a share")->check(CLI::Range(0.0, 0.1));
  of_run.add_flag("--no-fold", arguments.no_fold);
  CLI::App& of_bare = *app.add_subcommand("bare", "A ring on a kernel and nothing else.");
  of_bare.add_option("ranks", arguments.ranks)->required()->check(CLI::Range(2, 1 << 20));
  for (CLI::App* command : {&of_run, &of_bare})
    command->add_option("--kernel", arguments.kernel, "fluid or simgrid");
  CLI11_PARSE(app, argc, argv);
  try {
    fmt::print("{}\n", (of_run.parsed() ? run(arguments) : bare(arguments)).dump());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
