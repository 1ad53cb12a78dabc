// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "algorithms/collectives.hpp"
#include "algorithms/programs/program.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope {
namespace {

constexpr double nothing_said = std::numeric_limits<double>::infinity();

// From benchmarks/README.md, whose rows the estimates meet within a factor of 4 (table_test.py):
// the start-up of 65,536 ranks and the two levels of as many, the rings, all-to-all. A message
// costs least where all ranks are in step, as in a ring; more where each is at another instant, as
// with jitter; and most where many are in flight at once, so that each that ends gives others a new
// rate.
constexpr double bytes_of_program = 20e6, bytes_per_rank = 7000, bytes_per_pair = 1400;
constexpr double bytes_per_rank_not_simulated = 2900;
constexpr double seconds_per_rank = 1.5e-5;
// A stream of a program beside the first one, and a step that may send nothing: of 2,000 ranks
// with 9 and 33 streams each takes 3,030 to 3,100 B; a computation, of 1,000 in a loop, 0.7 us.
constexpr double bytes_per_stream = 3000, seconds_per_step = 1e-6;
constexpr double in_step = 1.2e-6, out_of_step = 4e-6, in_flight = 6e-6;
constexpr double seconds_per_message_on_simgrid = 40e-6;
// Seconds more for each rank where all pairs talk at once: all to whom a link's change of rate
// spreads. On a star these are the flows of one NIC; links inside the network tie all flows
// together.
constexpr double all_pairs_on_star = 1e-8, all_pairs_inside = 4e-7;

/// `key  value unit` of a file such as /proc/meminfo, in bytes.
double line_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    double kibibytes = 0;
    if (rest >> kibibytes) return kibibytes * 1024;
  }
  return nothing_said;
}

/// Memory that a control group leaves; "max" is no number, and no limit.
double left_in_group() {
  double most = 0, used = 0;
  if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> most)) return nothing_said;
  if (!(std::ifstream("/sys/fs/cgroup/memory.current") >> used)) return nothing_said;
  return std::max(0.0, most - used);
}

double left_of_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return nothing_said;
  const double used = line_in("/proc/self/status", "VmSize:");
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - (used < nothing_said ? used : 0));
}

bool is_switch(const Topology& topology, Vertex vertex) {
  return topology.graph()[vertex].kind == ComponentKind::network_switch;
}

/// True if there are cables between switches, which flows of different NICs share.
bool has_links_inside(const Topology& topology) {
  for (int id = 0; id < topology.link_count(); id += 2)
    if (is_switch(topology, topology.source_of(id)) && is_switch(topology, topology.target_of(id)))
      return true;
  return false;
}

bool all_pairs_talk(const Scenario& scenario) {
  return collective_of(*scenario.job.algorithm).after == Held::pieces;
}

/// Seconds that the fluid kernel takes for a message. An algorithm whose steps depend on timing is
/// one that has several messages of a rank in flight.
double seconds_per_message(const Scenario& scenario) {
  const auto jitters = [](const Transport& one) { return !one.jitter.is_zero(); };
  if (scenario.job.algorithm->varies == Varies::nothing) {
    const bool apart =
        scenario.job.draws_times() || std::ranges::any_of(scenario.library.transports, jitters);
    return apart || !scenario.neighbours.empty() ? out_of_step : in_step;
  }
  if (!all_pairs_talk(scenario)) return in_flight;
  const auto ranks = static_cast<double>(scenario.placement.ranks.size());
  return in_flight + ranks * (has_links_inside(scenario.cluster.topology) ? all_pairs_inside
                                                                          : all_pairs_on_star);
}

/// Streams and steps of a program.
void add_program(const Scenario& scenario, Estimate& estimate) {
  const programs::Program* program = programs::program_of(scenario.job.options);
  if (program == nullptr) return;
  const auto ranks = static_cast<double>(scenario.placement.ranks.size());
  estimate.memory_bytes +=
      ranks * bytes_per_stream * static_cast<double>(program->streams.size() - 1);
  estimate.seconds += seconds_per_step * program->done * estimate.repetitions;
}

}  // namespace

Cost cost_of(const Scenario& scenario) {
  const PlacedOptions options(scenario.job, scenario.placement);
  return scenario.job.algorithm->cost(options.ranks(), scenario.job.bytes.count, *options);
}

Estimate estimate_of(const Scenario& scenario, bool on_simgrid) {
  return estimate_of(scenario, on_simgrid,
                     {scenario.placement.ranks.size(), scenario.job.repetitions});
}

Estimate estimate_of(const Scenario& scenario, bool on_simgrid, Simulated simulated) {
  Estimate estimate;
  estimate.ranks = scenario.placement.ranks.size();
  for (const Neighbour& one : scenario.neighbours) estimate.ranks += one.placement.ranks.size();
  estimate.repetitions = simulated.repetitions;
  estimate.messages = static_cast<double>(cost_of(scenario).messages) * simulated.repetitions;
  const auto ranks = static_cast<double>(estimate.ranks);
  const double others = static_cast<double>(scenario.placement.ranks.size() - simulated.ranks);
  const double share = 1 - others / static_cast<double>(scenario.placement.ranks.size());
  estimate.memory_bytes =
      bytes_of_program + bytes_per_rank * (ranks - others) + bytes_per_rank_not_simulated * others +
      (all_pairs_talk(scenario) ? bytes_per_pair * ranks * (ranks - others) : 0);
  const double fluid = seconds_per_message(scenario);
  estimate.contended = fluid >= in_flight;
  estimate.seconds = seconds_per_rank * ranks +
                     share * estimate.messages *
                         (on_simgrid ? std::max(fluid, seconds_per_message_on_simgrid) : fluid);
  add_program(scenario, estimate);
  return estimate;
}

std::string in_words(const Estimate& estimate) {
  return fmt::format("{} ranks that send {:g} messages", estimate.ranks, estimate.messages);
}

std::string what_to_lower(const Scenario& scenario, int simulated_repetitions) {
  std::vector<std::string> keys;
  const Options& options = scenario.job.options;
  if (simulated_repetitions > 1) keys.emplace_back("'job.repetitions'");
  if (options.rounds > 1) keys.emplace_back("'job.options.rounds'");
  if (options.steps > 1) keys.emplace_back("'job.options.steps'");
  if (programs::program_of(options) != nullptr) keys.emplace_back("the loops of 'job.program'");
  keys.emplace_back("the ranks of 'placement'");
  std::string text = fmt::format("{}", fmt::join(keys, ", "));
  const Options untouched;
  if (options.segment < untouched.segment && scenario.job.bytes.count > options.segment)
    text += ", or raise 'job.options.segment'";
  return text;
}

double free_memory_bytes() {
  return std::min(
      {line_in("/proc/meminfo", "MemAvailable:"), left_in_group(), left_of_address_space()});
}

void require_memory(const Scenario& scenario, const Estimate& estimate, double free_bytes) {
  if (estimate.memory_bytes <= free_bytes) return;
  const auto text = [](double bytes) {
    return to_short_text(Bytes{static_cast<std::uint64_t>(bytes)}, 2);
  };
  typed(scenario.name, "")
      .fail("{} need some {} of memory, and {} are free: lower {}", in_words(estimate),
            text(estimate.memory_bytes), text(free_bytes), what_to_lower(scenario, 1));
}

}  // namespace ringscope
