// SPDX-License-Identifier: LGPL-2.1-or-later
// Slips of whoever wrote a scenario: keys that change nothing, units, ranks in the wrong place.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "algorithms/training/training.hpp"
#include "base/table.hpp"
#include "scenarios/question/estimate.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "topologies/graph/topology.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

/// True of a collective that computes nothing but its sums.
bool computes_nothing(const Job& job) {
  constexpr std::string_view computing[] = {"overlap", "parameter_server", "streaming_exchange"};
  return job.training == nullptr && job.options.schedule == nullptr && !job.overlap &&
         std::ranges::find(computing, job.algorithm->collective) == std::end(computing);
}

/// Slow ranks, or noise, where nothing is computed that could take longer.
std::vector<std::string> vain_noise(const Scenario& scenario) {
  const Noise& noise = scenario.job.noise;
  if (!computes_nothing(scenario.job) || (!noise.has_stragglers() && noise.spread == 0)) return {};
  return {
      fmt::format("{} computations down, and a collective alone has none: nothing changes. "
                  "'overlap' gives it one, 'unlike' gives the cluster slow hosts",
                  noise.has_stragglers() ? "'stragglers' slow" : "'spread' slows")};
}

/// Slow hosts that have no rank.
std::vector<std::string> idle_stragglers(const Scenario& scenario) {
  const std::vector<Location>& ranks = scenario.placement.ranks;
  std::vector<std::string> idle;
  for (const int host : scenario.job.noise.slow_hosts)
    if (std::ranges::find(ranks, host, &Location::host) == ranks.end())
      idle.push_back(scenario.cluster.topology.hosts()[host].name);
  if (idle.empty()) return {};
  return {fmt::format("'stragglers' slow computations on {}, where no rank is: nothing changes",
                      listed(idle))};
}

/// The key by which repetitions of a job differ; "": they do not.
std::string random_key(const Job& job) {
  if (job.skew.count() > 0) return "skew";
  if (job.noise.detours.any()) return "detours";
  if (job.training != nullptr && job.training->input.varies()) return "input";
  return job.noise.spread > 0 && !computes_nothing(job) ? "spread" : "";
}

/// True if a message of the job may take a random time.
bool jitters(const Scenario& scenario) {
  const std::map<int, int> on_host = scenario.placement.ranks_by_host();
  const bool inside = std::ranges::any_of(on_host, [](const auto& one) { return one.second > 1; });
  const auto jitter = [&](Way way) { return !scenario.library.transport(way).jitter.is_zero(); };
  return (on_host.size() > 1 && (jitter(Way::network) || jitter(Way::gdr))) ||
         (inside && (jitter(Way::shm) || jitter(Way::p2p) || jitter(Way::staged)));
}

/// The largest share of a step's time that jitter can add, on any way of the job's messages: each
/// rank waits for the latest of P, which is 1 + 1/2 + ... 1/P times the mean.
double share_of_jitter(const Scenario& scenario) {
  const Cost cost = cost_of(scenario);
  if (cost.messages == 0) return 1;
  const Topology& topology = scenario.cluster.topology;
  const Host& host = topology.hosts()[scenario.placement.ranks.front().host];
  const std::uint64_t bytes = cost.items / static_cast<std::uint64_t>(cost.messages);
  double latest = 0, share = 0, wire = 0;
  for (std::size_t k = 1; k <= scenario.placement.ranks.size(); ++k)
    latest += 1 / static_cast<double>(k);
  for (const Vertex nic : host.nics)
    wire = std::max(wire, widest_link(topology, nic, false).bytes_per_second);
  for (const Way way : {Way::shm, Way::network, Way::p2p, Way::staged, Way::gdr}) {
    const Transport& one = scenario.library.transport(way);
    double cost_per_byte = std::max(one.send_cost.seconds_per_byte, one.recv_cost.seconds_per_byte);
    if ((way == Way::network || way == Way::gdr) && wire > 0)
      cost_per_byte = std::max(cost_per_byte, 1 / wire);
    const double time = one.latency.at(bytes) + static_cast<double>(bytes) * cost_per_byte;
    if (!one.jitter.is_zero()) share = std::max(share, latest * one.jitter.at(bytes) / time);
  }
  return share;
}

/// A seed where nothing is random; or what is random, of which one repetition shows one draw.
std::vector<std::string> chance(const Scenario& scenario) {
  const Job& job = scenario.job;
  const std::string own = random_key(job);
  const std::string key = own.empty() && jitters(scenario) ? "jitter" : own;
  const bool others = std::ranges::any_of(
      scenario.neighbours, [](const Neighbour& one) { return !random_key(one.job).empty(); });
  if (key.empty() && !others && job.seed != 1)
    return {
        "'seed' changes nothing: nothing is random here. 'jitter' of the library, 'skew' and "
        "'noise' of the job are"};
  const bool several = job.training != nullptr || job.options.schedule != nullptr;
  if (key.empty() || several || job.repetitions > 1) return {};
  constexpr double negligible = 0.01;  // of the answer
  if (key == "jitter" && share_of_jitter(scenario) < negligible) return {};
  return {fmt::format(
      "'{}' is random, and one repetition is one draw: 'job.repetitions: 20' gives a median", key)};
}

bool has_one_thread(const Job& job) {
  return job.training == nullptr && job.options.schedule == nullptr &&
         job.algorithm->nonblocking == 0 && threads_of(*job.algorithm, job.options) == 1;
}

/// Keys of threads that nobody has.
std::vector<std::string> vain_threads(const Scenario& scenario) {
  const Library& library = scenario.library;
  std::vector<std::string> vain;
  if (library.progress_core == ProgressCore::shared && library.progress != Progress::thread)
    vain.emplace_back(
        "'progress_core' changes nothing: it is the core of a progress thread, which 'progress: "
        "thread' starts");
  const bool alone = has_one_thread(scenario.job) &&
                     std::ranges::all_of(scenario.neighbours, [](const Neighbour& one) {
                       return has_one_thread(one.job);
                     });
  const char* key = library.endpoints > 1                         ? "endpoints"
                    : library.thread_core == ProgressCore::shared ? "thread_core"
                    : library.thread_multiple.count() > 0         ? "thread_multiple"
                                                                  : nullptr;
  if (alone && key != nullptr)
    vain.push_back(
        fmt::format("'{}' changes nothing: a rank of {} {} has one thread. The allreduces "
                    "ring_two_threads and ring_threads have several",
                    key, scenario.job.algorithm->collective, scenario.job.algorithm->name));
  return vain;
}

/// Endpoints that the provider has not, or that no thread uses.
std::vector<std::string> vain_endpoints(const Scenario& scenario) {
  const Library& library = scenario.library;
  const int threads = threads_of(*scenario.job.algorithm, scenario.job.options);
  if (!scenario.neighbours.empty() || has_one_thread(scenario.job) ||
      scenario.job.training != nullptr || scenario.job.options.schedule != nullptr)
    return {};
  const int most = library.most_endpoints.value_or(library.wanted_endpoints);
  if (library.most_endpoints && most < std::max(threads, library.wanted_endpoints)) {
    const std::string gain =
        most == 1 ? "two threads gain nothing with one endpoint, whose lock they share"
                  : fmt::format("{} threads share them", threads);
    return {fmt::format(
        "the provider of {} has {} ('most_endpoints'): {}. Intel MPI's provider tcp has no such "
        "limit: 'library: {{base: intel_mpi, endpoints: {}}}' times the other side of the choice",
        library.name, plural(most, "endpoint"), gain, threads)};
  }
  if (library.endpoints > threads && library.progress != Progress::thread)
    return {fmt::format("{} of {} endpoints are idle: a rank has {}, and each uses one",
                        library.endpoints - threads, library.endpoints, plural(threads, "thread"))};
  return {};
}

/// Rules of placement among things of which hosts have one.
std::vector<std::string> vain_rules(const Scenario& scenario) {
  const auto hosts = scenario.cluster.topology.hosts();
  const auto& ranks = scenario.placement.ranks;
  const auto all = [&](auto holds) {
    return std::ranges::all_of(ranks,
                               [&](const Location& rank) { return holds(rank, hosts[rank.host]); });
  };
  std::vector<std::string> vain;
  if (all([](const Location& rank, const Host& host) {
        return rank.nics == NicChoice::all && host.nics.size() == 1;
      }))
    vain.push_back(
        fmt::format("'nics: all' changes nothing: {} has one NIC", hosts[ranks.front().host].name));
  if (scenario.placement.text.find(" by numa") != std::string::npos &&
      all([](const Location&, const Host& host) { return host.numa_domains.size() == 1; }))
    vain.push_back(fmt::format("'map_by: numa' changes nothing: {} has one socket",
                               hosts[ranks.front().host].name));
  return vain;
}

bool may_use_files(const Job& job) {
  return job.options.schedule != nullptr ||
         (job.training != nullptr &&
          (job.training->input.rate > 0 || job.training->checkpoint.every > 0));
}

std::vector<std::string> vain_storage(const Scenario& scenario) {
  const bool used = may_use_files(scenario.job) ||
                    std::ranges::any_of(scenario.neighbours, [](const Neighbour& one) {
                      return may_use_files(one.job);
                    });
  if (used || scenario.storage.bandwidth.is_unlimited()) return {};
  return {
      "'storage' changes nothing: the job reads and writes no files. 'input' and 'checkpoint' of a "
      "training job do"};
}

/// Degraded links of hosts without ranks: no message goes there.
std::vector<std::string> idle_degraded(const Scenario& scenario) {
  const Value* degraded = scenario.cluster.resolved.find("degraded");
  if (degraded == nullptr) return {};
  const auto hosts = scenario.cluster.topology.hosts();
  std::set<std::string> used;
  const auto use = [&](const Placement& placement) {
    for (const Location& rank : placement.ranks) used.insert(hosts[rank.host].name);
  };
  use(scenario.placement);
  for (const Neighbour& one : scenario.neighbours) use(one.placement);
  if (scenario.storage.host >= 0) used.insert(hosts[scenario.storage.host].name);
  for (const Value& one : degraded->items()) {
    const std::string link = one.find("link")->text();
    for (const std::string& end : {link, link.substr(link.find("->") + 2)}) {
      const std::string name = end.substr(0, end.find('/'));
      if (!used.contains(name) && std::ranges::find(hosts, name, &Host::name) != hosts.end())
        return {fmt::format("the degraded link {} changes nothing: no rank is on {}", link, name)};
    }
  }
  return {};
}

std::string without_star(std::string name) {
  if (name.ends_with('*')) name.pop_back();
  return name;
}

/// A fit's library on a cluster that is not the one of its file.
std::vector<std::string> other_fit(const Scenario& scenario) {
  const std::string fit = without_star(scenario.library.name);
  if (!scenario.library.fitted || fit == without_star(scenario.cluster.name)) return {};
  return {
      fmt::format("the library {0} was fitted on another cluster than {1}: 'cluster: {0}.yaml' is "
                  "the fitted one",
                  fit, scenario.cluster.name)};
}

/// The core or the GPU of a rank, by its name; "": it has none of its own.
std::string seat_of(const Topology& topology, const Location& rank) {
  const Host& host = topology.hosts()[rank.host];
  const auto name = [&](View<const Vertex> all, int index) {
    return topology.graph()[all[index]].name;
  };
  if (rank.gpu >= 0) return name(host.gpus, rank.gpu);
  if (rank.binding != Binding::core) return "";
  return fmt::format("{}/core{}", name(host.numa_domains, rank.numa), rank.core);
}

/// Ranks of a list on one core or GPU; counts say so by `oversubscribe`.
std::vector<std::string> shared_seats(const Scenario& scenario) {
  if (scenario.placement.text.find(" listed") == std::string::npos) return {};
  std::map<std::string, std::string> first;
  for (const Neighbour& one : scenario.neighbours)
    for (std::size_t i = 0; i < one.placement.ranks.size(); ++i)
      first.emplace(seat_of(scenario.cluster.topology, one.placement.ranks[i]),
                    fmt::format("rank {} of {}", i, one.name));
  for (std::size_t i = 0; i < scenario.placement.ranks.size(); ++i) {
    const std::string seat = seat_of(scenario.cluster.topology, scenario.placement.ranks[i]);
    const auto [other, is_new] = first.emplace(seat, fmt::format("rank {}", i));
    if (!seat.empty() && !is_new)
      return {fmt::format("{} and rank {} share {}: give each a separate one, unless that is meant",
                          other->second, i, seat)};
  }
  return {};
}

/// "8" on a cluster of 8 hosts: most likely the number of hosts.
std::vector<std::string> hosts_for_ranks(const Scenario& scenario) {
  constexpr std::size_t fewest = 3;
  const std::size_t hosts = scenario.cluster.topology.hosts().size();
  const Value* counts = scenario.resolved.find("placement");
  if (counts != nullptr && counts->kind() == Value::Kind::map) counts = counts->find("hosts");
  if (hosts < fewest || counts == nullptr || counts->kind() != Value::Kind::scalar ||
      counts->scalar() != std::to_string(hosts))
    return {};
  return {
      fmt::format("'{0}' puts {0} ranks on one host, and none on the other {1}: '1x{0}' is a rank "
                  "on each host ('{0}x1', if one host is meant)",
                  hosts, hosts - 1)};
}

/// Times and costs of the library that are too long for a unit.
std::vector<std::string> slow_transports(const Scenario& scenario) {
  constexpr double longest_s = 5e-4, dearest = 1e-7;
  for (std::size_t way = 0; way < way_names.size(); ++way) {
    const Transport& transport = scenario.library.transports[way];
    const double latency = transport.latency.at(0);
    const std::string key = fmt::format("library.{}", way_names[way]);
    if (latency >= longest_s)
      return {fmt::format("'{}.latency' is {}, and libraries take microseconds: did you mean {}?",
                          key, to_short_text(Seconds(latency)),
                          to_short_text(Seconds(latency / 1000)))};
    for (const auto& [end, cost] :
         {std::pair{"send_cost", transport.send_cost}, std::pair{"recv_cost", transport.recv_cost}})
      if (cost.seconds_per_byte >= dearest)
        return {fmt::format("'{}.{}: {}' moves {} at most: did you mean {:g} ns/B?", key, end,
                            to_text(cost), to_short_text(Bandwidth{1 / cost.seconds_per_byte}),
                            1e9 / 1000 * cost.seconds_per_byte)};
  }
  return {};
}

}  // namespace

std::vector<std::string> slips(const Scenario& scenario) {
  return together({hosts_for_ranks(scenario), shared_seats(scenario), other_fit(scenario),
                   slow_transports(scenario), vain_noise(scenario), idle_stragglers(scenario),
                   chance(scenario), vain_threads(scenario), vain_endpoints(scenario),
                   vain_rules(scenario), vain_storage(scenario), idle_degraded(scenario)});
}

}  // namespace ringscope
