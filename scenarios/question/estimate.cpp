#include "scenarios/question/estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "algorithms/collectives.hpp"
#include "algorithms/steps/host_order.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {
namespace {

constexpr double nothing_said = std::numeric_limits<double>::infinity();

// From benchmarks/README.md: the start-up of 65,536 ranks, the ring of 1,024 ranks, all-to-all.
constexpr double bytes_of_program = 20e6, bytes_per_rank = 7000, bytes_per_pair = 1400;
constexpr double seconds_per_rank = 1e-5, seconds_per_message = 1.5e-6;
constexpr double seconds_per_message_on_simgrid = 26e-6;

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

double messages_of(const Scenario& scenario) {
  std::vector<int> hosts;
  for (const Location& rank : scenario.placement.ranks) hosts.push_back(rank.host);
  const int ranks = static_cast<int>(hosts.size());
  Options options = scenario.job.options;
  const HostGroups by_host(ranks, &hosts);
  options.hosts = &hosts;
  options.by_host = &by_host;
  const auto items = static_cast<std::size_t>(scenario.job.bytes.count);
  const Cost cost = scenario.job.algorithm->cost(ranks, items, options);
  return static_cast<double>(cost.messages) * scenario.job.repetitions;
}

}  // namespace

Estimate estimate_of(const Scenario& scenario, bool on_simgrid) {
  Estimate estimate;
  estimate.ranks = scenario.placement.ranks.size();
  for (const Neighbour& one : scenario.neighbours) estimate.ranks += one.placement.ranks.size();
  estimate.messages = messages_of(scenario);
  const auto ranks = static_cast<double>(estimate.ranks);
  const bool all_pairs = collective_of(*scenario.job.algorithm).after == Held::pieces;
  estimate.memory_bytes =
      bytes_of_program + bytes_per_rank * ranks + (all_pairs ? bytes_per_pair * ranks * ranks : 0);
  estimate.seconds =
      seconds_per_rank * ranks +
      estimate.messages * (on_simgrid ? seconds_per_message_on_simgrid : seconds_per_message);
  return estimate;
}

std::string in_words(const Estimate& estimate) {
  return fmt::format("{} ranks that send {:g} messages", estimate.ranks, estimate.messages);
}

std::string what_to_lower(const Scenario& scenario) {
  std::vector<std::string> keys;
  const Options& options = scenario.job.options;
  if (scenario.job.repetitions > 1) keys.emplace_back("'job.repetitions'");
  if (options.rounds > 1) keys.emplace_back("'job.options.rounds'");
  if (options.steps > 1) keys.emplace_back("'job.options.steps'");
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
  const auto source = std::make_shared<const Source>(Source{scenario.name, ""});
  throw InputError(
      {source, 0, 0},
      fmt::format("{} need some {} of memory, and {} are free: lower {}", in_words(estimate),
                  text(estimate.memory_bytes), text(free_bytes), what_to_lower(scenario)));
}

}  // namespace ringscope
