// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the programs that measure, whatever they measure on: their words and their documents.
#pragma once

#include <fmt/format.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/terminal/words.hpp"
#include "scenarios/question/scenario.hpp"
#include "topologies/input/units.hpp"
#include "validation/executors/batches.hpp"
#include "validation/executors/measurement.hpp"

namespace ringscope {

/// Adds a subcommand to a program. `command` is the whole command line, for the document.
using AddSubcommand = void(Command& program, const std::string& command);

/// Adds the subcommands, parses, and thereby runs, the words. Throws what the subcommands throw.
int run_program(const std::string& name, std::span<AddSubcommand* const> subcommands, int count,
                char** words);

/// --repetitions and --budget of probes.
void add_bench_options(Command& command, BenchOptions& options);

/// Indices into `names` of those that --only asks for, or all. `kind` is the noun.
std::set<std::size_t> chosen_indices(const std::vector<std::string>& asked,
                                     const std::vector<std::string>& names, std::string_view kind);

/// Sizes that an option may ask for, and how its error names them.
struct SizeRule {
  std::uint64_t least = 1, most = 0, multiple = 1;
  std::string_view expected;
};
/// Those asked for, each once, ascending.
std::vector<std::uint64_t> sizes_of(const std::string& option,
                                    const std::vector<std::string>& texts, const SizeRule& rule);

void write_document(const std::string& output, std::string_view kind, const Provenance& where,
                    nlohmann::ordered_json measurements);

/// The list of probes for a help page, their names in a column so wide.
template <typename Probes>
std::string probes_text(const Probes& probes, int width) {
  std::string text = "Probes:\n";
  for (const auto& probe : probes)
    text += fmt::format("  {:{}} {}\n", probe.name, width, probe.summary);
  return text;
}

/// Sum over all series of a plan.
template <typename Plan>
double weight_of(const Plan& plan) {
  double weight = 0;
  for (const auto& series : plan) weight += series.weight;
  return weight;
}

/// Seconds that reading a clock takes.
template <typename Clock>
double reading_s(Clock now) {
  constexpr int readings = 1000;
  const double start_s = now();
  for (int i = 0; i < readings; ++i) now();
  return (now() - start_s) / readings;
}

// Arguments shared by the replays on every executor.

struct ScenarioArguments {
  std::vector<std::string> scenarios, changes;
};

/// SCENARIO... and --set.
void add_scenario_arguments(Command& replay, ScenarioArguments& arguments);
std::vector<Scenario> read_all(const ScenarioArguments& arguments);

/// --repetitions, --max-repetitions, --precision, --confidence, --budget and --warmups.
void add_timing_options(Command& replay, RepetitionRule& rule);

// Ends a process that is stuck.

/// Ends the process (stuck) when it lives longer than `timeout`, after saying where its ranks are.
/// With `progress`: when that number has not changed for so long, and at most twice as long.
/// `where` is called from a thread of its own, while they are anywhere.
class Watchdog {
 public:
  /// `where` says "rank 2 is in reduce-scatter, step 1, send with rank 3".
  Watchdog(Seconds timeout, std::function<std::string()> where,
           std::function<std::uint64_t()> progress = {});
  /// Watches a process that is one rank; `where` says "send with rank 3".
  Watchdog(Seconds timeout, int rank, std::function<std::string()> where,
           std::function<std::uint64_t()> progress = {});
  ~Watchdog();
  Watchdog& operator=(Watchdog&&) = delete;  ///< neither copied nor moved

 private:
  void watch();

  Seconds timeout_;
  std::function<std::string()> where_;
  std::function<std::uint64_t()> progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;  ///< last: it uses all the others
};

}  // namespace ringscope
