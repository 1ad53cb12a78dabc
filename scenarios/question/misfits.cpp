// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/misfits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <utility>

#include "algorithms/training/training.hpp"
#include "scenarios/library/fitted_range.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

/// Names of GPUs as clusters, libraries and chips have them.
struct GpuModel {
  std::string_view name;
  nccl::Generation generation;
};

constexpr std::array<GpuModel, 5> gpu_models = {{{"V100", nccl::Generation::volta},
                                                 {"A100", nccl::Generation::ampere},
                                                 {"H100", nccl::Generation::hopper},
                                                 {"H200", nccl::Generation::hopper},
                                                 {"B200", nccl::Generation::blackwell}}};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// The GPUs that the cluster is called after, or that its `about` names.
std::vector<GpuModel> gpus_of(const Cluster& cluster) {
  std::vector<GpuModel> found;
  std::ranges::copy_if(gpu_models, std::back_inserter(found), [&](const GpuModel& one) {
    return cluster.name.starts_with(in_lower_case(one.name)) ||
           cluster.about.find(one.name) != std::string::npos;
  });
  return found;
}

std::vector<std::string> data_files_of(const std::vector<GpuModel>& gpus, const char* folder,
                                       std::string_view prefix) {
  std::vector<std::string> names;
  for (const std::string& name : names_in(folder))
    for (const GpuModel& gpu : gpus)
      if (name.starts_with(std::string(prefix) + in_lower_case(gpu.name))) names.push_back(name);
  return names;
}

/// ": 'library: nccl_h100' is for these", or nothing.
std::string alternatives(std::string_view key, const std::vector<std::string>& names) {
  return names.empty() ? ""
                       : fmt::format(": '{}: {}' is for these", key, fmt::join(names, "' or '"));
}

bool has_rank_on_gpu(const Scenario& scenario) {
  return std::ranges::any_of(scenario.placement.ranks,
                             [](const Location& rank) { return rank.gpu >= 0; });
}

/// NCCL's costs on GPUs of another generation than the cluster's.
std::vector<std::string> other_generation(const Scenario& scenario) {
  const std::vector<GpuModel> gpus = gpus_of(scenario.cluster);
  if (!scenario.library.blocks || !has_rank_on_gpu(scenario) || gpus.empty()) return {};
  const nccl::Generation own = scenario.library.blocks->generation;
  if (std::ranges::find(gpus, own, &GpuModel::generation) != gpus.end()) return {};
  constexpr std::string_view names[] = {"Volta", "Ampere", "Hopper", "Blackwell"};
  return {fmt::format("{} has the costs of {} GPUs, and the GPUs of {} are {}{}",
                      scenario.library.name, names[static_cast<std::size_t>(own)],
                      scenario.cluster.name, gpus.front().name,
                      alternatives("library", nccl_libraries(scenario.cluster)))};
}

/// The data sheet of another GPU than the cluster's.
std::vector<std::string> other_chip(const Scenario& scenario) {
  const Value* found = scenario.resolved.find("job");
  for (const char* key : {"options", "gpu", "name"})
    if (found != nullptr) found = found->find(key);
  const std::vector<GpuModel> gpus = gpus_of(scenario.cluster);
  if (found == nullptr || gpus.empty() || !has_rank_on_gpu(scenario)) return {};
  const std::string chip = in_lower_case(found->text());
  const auto is_of = [&](const GpuModel& one) { return chip.starts_with(in_lower_case(one.name)); };
  if (std::ranges::none_of(gpu_models, is_of) || std::ranges::any_of(gpus, is_of)) return {};
  return {fmt::format("'gpu: {}' computes, and the GPUs of {} are {}{}", found->text(),
                      scenario.cluster.name, gpus.front().name,
                      alternatives("gpu", data_files_of(gpus, "scenarios/models/gpus", "")))};
}

/// Parameter servers that take GPUs away from workers.
std::vector<std::string> servers_on_gpus(const Scenario& scenario) {
  const Job& job = scenario.job;
  const auto& ranks = scenario.placement.ranks;
  const auto servers = static_cast<std::size_t>(job.options.servers);
  if (job.training == nullptr || job.algorithm->name != "parameter_server" ||
      servers >= ranks.size() ||
      !std::all_of(ranks.end() - job.options.servers, ranks.end(),
                   [](const Location& rank) { return rank.gpu >= 0; }))
    return {};
  return {fmt::format(
      "the servers, the last {} of the ranks, are on GPUs that workers could use: 'placement: "
      "[{{hosts: {}, on: gpu}}, {{hosts: {}}}]' puts them on cores",
      servers, scenario.placement.text.substr(0, scenario.placement.text.find(' ')),
      servers <= scenario.cluster.topology.hosts().size() ? fmt::format("1x{}", servers)
                                                          : std::to_string(servers))};
}

std::string without_star(std::string name) {
  if (name.ends_with('*')) name.pop_back();
  return name;
}

/// A fit's library on a cluster that is not the one of its file.
std::vector<std::string> other_fit(const Scenario& scenario) {
  const std::string fit = without_star(scenario.library.name);
  if (!fitted_range_of(scenario.library.resolved) || fit == without_star(scenario.cluster.name))
    return {};
  return {fmt::format(
      "the library {0} was fitted on another cluster than {1}: 'cluster: {0}.yaml' is the fitted "
      "one",
      fit, scenario.cluster.name)};
}

/// The core or the GPU of a rank, by its name; "": it has none of its own.
std::string seat_of(const Topology& topology, const Location& rank) {
  const Host& host = topology.hosts()[static_cast<std::size_t>(rank.host)];
  const auto name = [&](const std::vector<Vertex>& all, int index) {
    return topology.graph()[all[static_cast<std::size_t>(index)]].name;
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
  return {fmt::format(
      "'{0}' puts {0} ranks on one host, and none on the other {1}: '1x{0}' is a rank on each host "
      "('{0}x1', if one host is meant)",
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
      return {fmt::format(
          "'{}.latency' is {}, and libraries take microseconds: did you "
          "mean {}?",
          key, to_short_text(Seconds(latency)), to_short_text(Seconds(latency / 1000)))};
    for (const auto& [end, cost] :
         {std::pair{"send_cost", transport.send_cost}, std::pair{"recv_cost", transport.recv_cost}})
      if (cost.seconds_per_byte >= dearest)
        return {fmt::format("'{}.{}: {}' moves {} at most: did you mean {}?", key, end,
                            to_text(cost), to_short_text(Bandwidth{1 / cost.seconds_per_byte}),
                            to_text(ByteCost{cost.seconds_per_byte / 1000}))};
  }
  return {};
}

}  // namespace

std::vector<std::string> nccl_libraries(const Cluster& cluster) {
  return data_files_of(gpus_of(cluster), "scenarios/libraries", "nccl_");
}

std::vector<std::string> misfits(const Scenario& scenario) {
  std::vector<std::string> found;
  for (const auto& more :
       {hosts_for_ranks(scenario), shared_seats(scenario), other_generation(scenario),
        other_chip(scenario), servers_on_gpus(scenario), other_fit(scenario),
        slow_transports(scenario)})
    found.insert(found.end(), more.begin(), more.end());
  return found;
}

}  // namespace ringscope
