// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/probes/send_check.hpp"

#include <fmt/format.h>

#include "algorithms/loopback/loopback.hpp"
#include "scenarios/question/estimate.hpp"
#include "validation/executors/mpi/probes/probe.hpp"
#include "validation/executors/replayed.hpp"

namespace ringscope::mpi {
namespace {

/// Eager limits in bytes by way; a way that no two ranks take is not there.
using Limits = std::map<std::string, std::uint64_t>;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// Collective.
Limits eager_limits(MPI_Comm job, const std::vector<std::string>& hosts) {
  BenchOptions options;
  options.budget_s = 20;
  Layout layout(job, hosts, {"shm", "network"});
  Bench bench(job, options, static_cast<double>(layout.pairs().size()));
  Limits limits;
  for (const Team& pair : layout.pairs()) {
    bench.run({"eager limit, " + pair.way, pair, [&](Bench& one) { eager_limit(one, pair); }}, 0);
    // Rank 0 need not be one of the pair.
    std::uint64_t bytes = pair.has_me() ? bench.eager_limits()[pair.way].value_or(no_limit) : 0;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_MAX, job);
    limits[pair.way] = bytes;
  }
  return limits;
}

/// Description of the ranks that wait for each other, or "".
std::string deadlock(const Scenario& scenario, const std::vector<std::string>& hosts,
                     const Limits& limits, std::size_t most_items) {
  Table<int> first_ranks;
  for (const std::string& host : hosts)
    first_ranks.push_back(static_cast<int>(std::ranges::find(hosts, host) - hosts.begin()));
  Options options = in_items(scenario.job.options);
  options.given.hosts = &first_ranks;
  const auto eager_items = [&](int from, int to) -> std::size_t {
    const auto host = [&](int rank) { return first_ranks[rank]; };
    const auto limit = limits.find(host(from) == host(to) ? "shm" : "network");
    return (limit == limits.end() ? no_limit : limit->second) / item_bytes;
  };
  const std::size_t items = std::min(most_items, scenario.job.bytes.count / item_bytes);
  try {
    run_loopback(*scenario.job.algorithm, static_cast<int>(hosts.size()), items, options,
                 initial_item, {.synchronous_sends = true, .eager_items = eager_items});
  } catch (const LoopbackDeadlock& found) {
    return found.what();
  }
  return "";
}

std::string text_of(const Limits& limits) {
  std::string text;
  for (const auto& [way, bytes] : limits)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        bytes == no_limit ? "none" : fmt::format("{} B", bytes),
                        way == "shm" ? "within a host" : "between hosts");
  return text;
}

}  // namespace

void check_sends(MPI_Comm job, const std::vector<std::string>& hosts,
                 const std::vector<Scenario>& cases) {
  const bool first = rank_of(job) == 0;
  // Where no send is buffered, sizes of messages do not matter: a part of a long vector will do.
  const auto waits = [&](const Scenario& one) {
    return !deadlock(one, hosts, {{"shm", 0}, {"network", 0}}, 1 << 20).empty();
  };
  int any = first && std::ranges::any_of(cases, waits) ? 1 : 0;
  MPI_Bcast(&any, 1, MPI_INT, 0, job);
  if (any == 0) return;
  const Limits limits = eager_limits(job, hosts);
  for (const Scenario& scenario : cases)
    if (const auto found = first ? deadlock(scenario, hosts, limits, no_limit) : ""; !found.empty())
      throw std::runtime_error(fmt::format(
          "{}: not started: its sends would wait for each other for ever: {}\n  this MPI buffers "
          "messages up to its eager limit: {}\n  expected shorter messages, or receives posted "
          "before the sends (irecv, sendrecv)",
          scenario.name, found, text_of(limits)));
}

Seconds longest_operation(const Scenario& scenario) {
  const Cost cost = cost_of(scenario);  // in bytes
  const Options& options = scenario.job.options;
  const Seconds computed = options.compute * options.rounds * options.steps;
  const Seconds messages(10e-6 * static_cast<double>(cost.messages));
  return std::max(Seconds(10), 100 * (messages + Bytes{cost.items} / Bandwidth{1e9} + computed));
}

}  // namespace ringscope::mpi
