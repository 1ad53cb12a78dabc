#include "sim/alike/alike_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "algorithms/steps/host_order.hpp"
#include "algorithms/training/training.hpp"
#include "sim/alike/equal_hosts.hpp"
#include "sim/alike/script.hpp"
#include "sim/ranks/neighbour_run.hpp"
#include "topologies/nccl/channels.hpp"

namespace ringscope::sim {
namespace {

/// Numbers drawn at random, or set for single ranks, differ from rank to rank.
std::string unlike_by_chance(const Scenario& scenario) {
  const Job& job = scenario.job;
  if (job.skew.count() > 0) return "'skew' lets ranks start at different times";
  if (job.noise.spread > 0 || job.noise.every.count() > 0) return "'noise' is each rank's own";
  if (!job.noise.stragglers.empty()) return "some ranks are stragglers";
  for (const Transport& transport : scenario.library.transports)
    if (!transport.jitter.is_zero()) return "the library's messages have 'jitter'";
  if (!scenario.neighbours.empty()) return "other jobs run beside it";
  if (!scenario.speedup.resource.empty()) return "one resource is faster than it is";
  if (scenario.storage.host >= 0) return "files lie on one host";
  return "";
}

bool has_shared_cables(const Topology& topology) {
  for (int id = 0; id < topology.link_count(); ++id)
    if (!topology.link(id).both.is_unlimited()) return true;
  return false;
}

// A control message waits behind the bytes that its host holds. Where what sends and what receives
// share a part of the host, that depends on which comes first.
std::string unlike_by_queues(const Scenario& scenario) {
  const Transport& network = scenario.library.transport(Way::network);
  if (network.buffer.count == 0 || network.driver != Driver::caller) return "";
  const bool on_gpus = std::ranges::any_of(scenario.placement.ranks,
                                           [](const Location& where) { return where.gpu >= 0; });
  if (on_gpus || has_shared_cables(scenario.cluster.topology))
    return "messages wait behind buffered bytes where both directions share a part of a host";
  return "";
}

std::string unlike_detours(const Topology& topology) {
  return takes_detours(topology.routing()) ? "messages take detours" : "";
}

/// The rings of a search may use other NICs at the next host.
std::string unlike_gates(const Scenario& scenario) {
  const auto& rings = scenario.job.rings;
  if (rings == nullptr) return "";
  const auto moved = static_cast<std::size_t>(ranks_per_host(scenario.placement));
  for (const auto& gates : rings->gates)
    for (std::size_t rank = 0; rank < gates.size(); ++rank)
      if (gates[rank] != gates[(rank + moved) % gates.size()])
        return "NCCL's rings leave the hosts by different NICs";
  return "";
}

/// The job as its algorithm sees it.
struct Program {
  explicit Program(const Scenario& scenario)
      : job(&scenario.job),
        ranks(static_cast<int>(scenario.placement.ranks.size())),
        hosts(scenario.placement.ranks.size()),
        options(scenario.job.options) {
    std::ranges::transform(scenario.placement.ranks, hosts.begin(), &Location::host);
    by_host.emplace(ranks, &hosts);
    options.hosts = &hosts;
    options.by_host = &*by_host;
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::size_t items() const { return static_cast<std::size_t>(job->bytes.count); }
  bool declared_alike() const {
    const Property alike = job->algorithm->alike;
    return alike != nullptr && alike(ranks, items(), options);
  }
  std::vector<Line> script(int rank) const {
    const std::size_t scratch = job->algorithm->scratch_items(ranks, items(), options);
    const Workspace work = {{Buffer::data, 0, items()}, {Buffer::scratch, 0, scratch}};
    return script_of({rank, ranks, threads_of(*job->algorithm, options)},
                     [&](Communicator comm) { return text_of(*job, options, comm, work); });
  }

  const Job* job;
  int ranks;
  std::vector<int> hosts;  ///< of each rank
  std::optional<HostGroups> by_host;
  Options options;
};

std::string unlike_lines(int rank, int other) {
  return fmt::format(
      "rank {} does not do what rank {} does, moved on: chunks of one size need "
      "'job.bytes', or each exchange, to be a multiple of the ranks",
      other, rank);
}

/// Sizes are equal, or differ by one item, as those of chunks do where the ranks do not divide the
/// whole, and a message is sent in the same way.
bool nearly_equal(const Scenario& scenario, std::size_t a, std::size_t b) {
  if (a == b) return true;
  const std::size_t less = std::min(a, b), more = std::max(a, b);
  if (more - less > 1) return false;
  return std::ranges::all_of(scenario.library.transports, [&](const Transport& transport) {
    const std::uint64_t limit = transport.eager_limit.count;
    if (less <= limit && more > limit) return false;
    const SizedTime* times[] = {&transport.latency, &transport.send_overhead,
                                &transport.recv_overhead};
    return std::ranges::all_of(times, [&](const SizedTime* time) {
      const double before = time->at(less), after = time->at(more);
      return std::abs(after - before) <= most_uneven * after;
    });
  });
}

/// Share of all messages' bytes that an item of each message is; nothing where anything else
/// differs than sizes by an item, or it is too much.
std::optional<double> unevenness(const Scenario& scenario, const std::vector<Line>& ours,
                                 const std::vector<Line>& theirs) {
  if (ours.size() != theirs.size()) return {};
  double messages = 0, items = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    Line same = theirs[i];
    for (const auto size : {&Line::size, &Line::other_size}) {
      if (!nearly_equal(scenario, ours[i].*size, theirs[i].*size)) return {};
      same.*size = ours[i].*size;
    }
    if (same != ours[i]) return {};
    if (ours[i].peer < 0) continue;
    ++messages;
    items += static_cast<double>(ours[i].size);
  }
  const double share = messages / std::max(items, 1.0);
  if (share > most_uneven) return {};
  return share;
}

/// A ring waits for itself: what one rank is late by goes round, and does not add up. Elsewhere a
/// byte can break the step in which all are, and take a third of the time more.
bool goes_round(const Job& job) {
  if (job.training == nullptr) return job.algorithm->ring;
  return job.training->exchange == nullptr || job.training->exchange->ring;
}

/// Compares the programs of these hosts with that of the first one.
Alike compared(const Scenario& scenario, const Program& program, const std::vector<int>& hosts,
               bool uneven) {
  const Orbits orbits{program.ranks, ranks_per_host(scenario.placement)};
  Alike result{orbits, "", 0};
  try {
    for (int rank = 0; rank < orbits.simulated; ++rank) {
      const std::vector<Line> script = program.script(rank);
      for (const int host : hosts) {
        const int other = host * orbits.simulated + rank;
        const std::vector<Line> theirs = program.script(other);
        if (theirs == script) continue;
        const auto share = uneven ? unevenness(scenario, script, theirs) : std::nullopt;
        if (!share) return {{}, unlike_lines(rank, other), 0};
        result.uneven = std::max(result.uneven, *share);
      }
    }
  } catch (const NoScript& why) {
    return {{}, why.what(), 0};
  }
  return result;
}

/// The second, a middle and the last host.
std::vector<int> some_of(int hosts) {
  std::vector<int> some = {1};
  if (hosts > 3) some.push_back(hosts / 2);
  if (hosts > 2) some.push_back(hosts - 1);
  return some;
}

}  // namespace

std::string unlike_programs(const Scenario& scenario, const std::vector<int>& hosts) {
  return compared(scenario, Program(scenario), hosts, false).reason;
}

Alike alike_ranks(const Scenario& scenario, bool uneven) {
  const auto unless = [](std::string reason) { return Alike{{}, std::move(reason), 0}; };
  const Placement& placement = scenario.placement;
  const Topology& topology = scenario.cluster.topology;
  const std::function<std::string()> conditions[] = {
      [&] { return unlike_by_chance(scenario); },
      [&] { return unequal_places(placement); },
      [&] { return unequal_hosts(topology, placement); },
      [&] { return unlike_by_queues(scenario); },
      [&] { return unlike_gates(scenario); },
      [&] { return unlike_detours(topology); },
      [&] { return several_routes(topology, placement); }};
  for (const auto& condition : conditions)
    if (std::string reason = condition(); !reason.empty()) return unless(std::move(reason));
  const Program program(scenario);
  if (!program.declared_alike())
    return unless(fmt::format("{} {} is not the same for all ranks",
                              scenario.job.algorithm->collective, scenario.job.algorithm->name));
  return compared(scenario, program, some_of(program.ranks / ranks_per_host(placement)),
                  uneven && goes_round(scenario.job));
}

}  // namespace ringscope::sim
