// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/warnings/job_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>

#include "algorithms/collectives.hpp"
#include "algorithms/programs/program.hpp"
#include "algorithms/schedules/schedule.hpp"
#include "algorithms/training/llm/llm.hpp"
#include "algorithms/training/training.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "scenarios/workload/options.hpp"
#include "topologies/cluster.hpp"
#include "topologies/graph/topology.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

/// Names of GPUs as clusters, libraries and chips have them.
struct GpuModel {
  std::string_view name;
  nccl::Generation generation;
};

constexpr GpuModel gpu_models[] = {
    {"V100", nccl::Generation::volta},     {"A100", nccl::Generation::ampere},
    {"H100", nccl::Generation::hopper},    {"H200", nccl::Generation::hopper},
    {"B200", nccl::Generation::blackwell}, {"MI300X", nccl::Generation::cdna3}};

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
  constexpr Array<std::string_view, 5> names = {"Volta", "Ampere", "Hopper", "Blackwell", "CDNA 3"};
  return {fmt::format("{} has the costs of {} GPUs, and the GPUs of {} are {}{}",
                      scenario.library.name, names[own], scenario.cluster.name, gpus.front().name,
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
                      alternatives("gpu", gpu_sheets(scenario.cluster)))};
}

/// Parameter servers that take GPUs away from workers.
std::vector<std::string> servers_on_gpus(const Scenario& scenario) {
  const Job& job = scenario.job;
  const auto& ranks = scenario.placement.ranks;
  const int servers = job.options.servers;
  if (job.training == nullptr || reads(*job.algorithm, "exchange") ||
      servers >= std::ssize(ranks) ||
      !std::all_of(ranks.end() - servers, ranks.end(),
                   [](const Location& rank) { return rank.gpu >= 0; }))
    return {};
  return {fmt::format(
      "the servers, the last {} of the ranks, are on GPUs that workers could use: 'placement: "
      "[{{hosts: {}, on: gpu}}, {{hosts: {}}}]' puts them on cores",
      servers, scenario.placement.text.substr(0, scenario.placement.text.find(' ')),
      servers <= std::ssize(scenario.cluster.topology.hosts()) ? fmt::format("1x{}", servers)
                                                               : std::to_string(servers))};
}

/// A choice of NCCL's is forced where the library has nothing that it would change.
std::vector<std::string> vain_options(const Scenario& scenario) {
  const Options& options = scenario.job.options;
  const bool forced = options.protocol != "auto" || options.channels > 0 || options.sms > 0;
  if (!scenario.job.algorithm->one_channel || options.given.nccl != nullptr || !forced) return {};
  return {fmt::format(
      "'protocol', 'channels' and 'sms' change nothing: {} does not state the costs of NCCL's "
      "blocks "
      "('blocks'), or a rank is not on a GPU; nccl_a100, nccl_h100 and nccl_v100_pcie do",
      scenario.library.name)};
}

bool has_gpus(const Scenario& scenario) {
  const int host = scenario.placement.ranks.front().host;
  return !scenario.cluster.topology.hosts()[host].gpus.empty();
}

/// True of a library that is meant for GPUs: what it says of them takes time.
bool is_for_gpus(const Library& library) {
  return library.blocks || !library.transport(Way::p2p).latency.is_zero();
}

/// No rank has a GPU, though hosts and library have.
std::vector<std::string> forgotten_gpus(const Scenario& scenario) {
  if (!has_gpus(scenario) || !scenario.library.knows_gpus || !is_for_gpus(scenario.library) ||
      has_rank_on_gpu(scenario))
    return {};
  const std::string& text = scenario.placement.text;
  const std::string_view slower =
      scenario.job.algorithm->one_channel ? ", which may be 50 times slower" : "";
  return {fmt::format("no rank has a GPU, so that {} runs on cores{}: '{}' gives each rank one",
                      scenario.job.algorithm->name, slower,
                      text.find(' ') == std::string::npos
                          ? fmt::format("placement: {{hosts: {}, on: gpu}}", text)
                          : "on: gpu")};
}

/// NCCL by a library that knows nothing of its blocks: another one does.
std::vector<std::string> other_than_nccl(const Scenario& scenario) {
  const Job& job = scenario.job;
  if (!job.algorithm->one_channel || job.options.given.nccl != nullptr ||
      !has_rank_on_gpu(scenario) || scenario.library.blocks)
    return {};
  const std::vector<std::string> libraries = nccl_libraries(scenario.cluster);
  if (libraries.empty()) return {};
  return {
      fmt::format("{} does not state the costs of NCCL's blocks, so that {} is simulated as one "
                  "channel, which may "
                  "be wrong by several times: 'library: {}' specifies it for these GPUs",
                  scenario.library.name, job.algorithm->name, fmt::join(libraries, "' or '"))};
}

/// A library that says what NCCL's blocks cost, where groups of ranks exchange and some share a
/// GPU.
std::vector<std::string> unused_blocks(const Scenario& scenario) {
  const Job& job = scenario.job;
  const bool unused = job.algorithm->groups != nullptr && job.groups == nullptr &&
                      scenario.library.blocks && scenario.placement.ranks.front().gpu >= 0;
  if (!unused) return {};
  return {
      fmt::format("groups exchange as one channel each: the NCCL blocks of {} count for ranks that "
                  "have a GPU each",
                  scenario.library.name)};
}

/// Key `cuda_graph` where no launch takes time.
std::vector<std::string> vain_graph(const Scenario& scenario) {
  const bool costs = scenario.library.blocks && has_rank_on_gpu(scenario);
  if (!scenario.job.options.given.cuda_graph || costs) return {};
  return {
      "'cuda_graph' changes nothing: it lowers the launch costs of NCCL's kernels, which take "
      "ranks on GPUs and a library with 'blocks'"};
}

/// Kernels between hosts: the network is not named, or it is sockets, which have no GPUDirect (NCCL
/// 2.30, src/transport/net_socket.cc).
std::vector<std::string> network_warnings(const Scenario& scenario) {
  const auto& [cluster, library] = std::tie(scenario.cluster, scenario.library);
  const auto& ranks = scenario.placement.ranks;
  const bool between_hosts = std::ranges::any_of(
      ranks, [&](const Location& rank) { return rank.host != ranks.front().host; });
  if (!library.blocks || !has_rank_on_gpu(scenario) || !between_hosts) return {};
  if (cluster.transport_name.empty())
    return {fmt::format(
        "{} does not name the kind of network between its hosts: {} is assumed, and short messages "
        "take much longer on other networks; 'cluster.link.kind' is one of {}",
        cluster.name, library.transport_name.empty() ? "the library's own" : library.transport_name,
        fmt::join(names_in("scenarios/transports"), ", "))};
  if (cluster.transport_name.find("socket") == std::string::npos ||
      !cluster.topology.hosts()[ranks.front().host].gpudirect)
    return {};
  return {"sockets have no GPUDirect, but the hosts have it: set 'cluster.host.gpudirect: false'"};
}

std::vector<std::string> schedule_warnings(const Job& job) {
  if (job.schedule == nullptr) return {};
  const ScheduleFile& file = *job.schedule;
  if (job.algorithm != &file.algorithm)
    return {fmt::format(
        "{} cannot be cut into the {} equal chunks of {}: NCCL's own choice is simulated instead",
        to_text(job.bytes), file.schedule.chunks, file.file)};
  std::vector<std::string> warnings = file.warnings;
  for (const NodeCount& nodes : file.node_counts)
    if (nodes.ignored)
      warnings.push_back(fmt::format("trace: {} x {}: {}", nodes.count, nodes.kind, nodes.as));
  if (job.bytes.count >= file.least_bytes && job.bytes.count <= file.most_bytes) return warnings;
  warnings.push_back(fmt::format("{} is for {} B to {} B: its library would do {} another way",
                                 file.file, file.least_bytes, file.most_bytes, to_text(job.bytes)));
  return warnings;
}

std::vector<std::string> extrapolations(const Scenario& scenario) {
  const auto& range = scenario.library.fitted;
  const auto hosts = static_cast<int>(scenario.placement.ranks_by_host().size());
  if (!range && hosts > scenario.library.spread.hosts)
    return {fmt::format("extrapolates to {} hosts: the measured machines of {} have at most {}",
                        hosts, scenario.library.name, scenario.library.spread.hosts)};
  const std::vector<std::string> beyond = beyond_fit(scenario, scenario.job.bytes);
  if (beyond.empty()) return {};
  return {fmt::format("extrapolates to {}: the fit of {} covers {}, {} on a host, {} to {}",
                      fmt::join(beyond, ", "), scenario.library.name, plural(range->hosts, "host"),
                      plural(range->ranks_per_host, "rank"), to_text(range->least),
                      to_text(range->most))};
}

/// Ranks on GPUs of one host whose peer copies hang.
std::vector<std::string> hanging_ranks(const Scenario& scenario) {
  const Topology& topology = scenario.cluster.topology;
  std::set<int> hosts;
  for (const Location& rank : scenario.placement.ranks)
    if (rank.gpu >= 0 && topology.hosts()[rank.host].iommu && !hosts.insert(rank.host).second)
      return hanging_peers(topology);
  return {};
}

/// A model and a batch that cannot fit into the GPU of a device.
std::vector<std::string> short_memory(const Scenario& scenario) {
  const Training* job = scenario.job.training.get();
  const Location& where = scenario.placement.ranks.front();
  if (job == nullptr || job->llm != nullptr || where.gpu < 0) return {};
  const Topology& topology = scenario.cluster.topology;
  const Host& host = topology.hosts()[where.host];
  const Component& gpu = topology.graph()[host.gpus[where.gpu]];
  const auto has = static_cast<double>(gpu.capacity.count);
  const DeviceMemory needs = least_memory(*job);
  const double all = needs.parameters + job->batch * needs.activations;
  if (has == 0 || all <= has) return {};
  const double most = needs.activations > 0 ? (has - needs.parameters) / needs.activations : 0;
  return {fmt::format(
      "{} does not fit into {}, which has {:.4g} GB: a batch of {} needs at least {:.4g} GB, "
      "parameters with gradients and momenta {:.4g} + activations {:.4g}{}",
      job->model, gpu.name, has / 1e9, job->batch, all / 1e9, needs.parameters / 1e9,
      job->batch * needs.activations / 1e9,
      most >= 1 ? fmt::format("; a batch of {:.0f} may fit", std::floor(most)) : "")};
}

/// Threads that the cores of a host are too few for.
std::vector<std::string> crowded_cores(const Scenario& scenario) {
  for (const auto& [index, host] : further_threads(scenario))
    if (host.lack_cores())
      return {fmt::format("{} starts {} more than one per rank, and has {} for them: they share {}",
                          scenario.cluster.topology.hosts()[index].name,
                          plural(host.threads, "thread"),
                          host.cores > 0 ? plural(host.cores, "spare core") : "no spare core",
                          host.cores <= 0   ? "the cores of their ranks"
                          : host.cores == 1 ? "it"
                                            : "them")};
  return {};
}

}  // namespace

std::vector<std::string> gpu_sheets(const Cluster& cluster) {
  return data_files_of(gpus_of(cluster), "scenarios/models/gpus", "");
}

std::vector<std::string> nccl_libraries(const Cluster& cluster) {
  const bool amd = gpu_generation(cluster) == nccl::Generation::cdna3;
  return data_files_of(gpus_of(cluster), "scenarios/libraries", amd ? "rccl_" : "nccl_");
}

std::optional<nccl::Generation> gpu_generation(const Cluster& cluster) {
  const std::vector<GpuModel> gpus = gpus_of(cluster);
  if (gpus.empty()) return std::nullopt;
  return gpus.front().generation;
}

std::vector<std::string> beyond_fit(const Scenario& scenario, Bytes bytes) {
  const auto& range = scenario.library.fitted;
  if (!range) return {};
  const auto ranks_by_host = scenario.placement.ranks_by_host();
  const int most = std::ranges::max(each_of(ranks_by_host, [](auto& one) { return one.second; }));
  const auto hosts = static_cast<int>(ranks_by_host.size());
  std::vector<std::string> beyond;
  if (hosts > range->hosts) beyond.push_back(plural(hosts, "host"));
  if (most > range->ranks_per_host) beyond.push_back(plural(most, "rank") + " on a host");
  if (!range->holds(bytes)) beyond.push_back(to_text(bytes));
  const std::string collective(
      scenario.job.algorithm != nullptr ? collective_of(*scenario.job.algorithm).name : "");
  if (!range->collectives.empty() && !range->collectives.contains(collective))
    beyond.push_back(collective.empty() ? "another job" : collective);
  return beyond;
}

std::vector<std::string> job_warnings(const Scenario& scenario) {
  std::vector<std::string> other = forgotten_gpus(scenario);
  std::vector<std::string> warnings = other.empty() ? vain_options(scenario) : other;
  if (other.empty()) other = other_than_nccl(scenario);
  if (warnings.empty()) warnings = other;
  return together({warnings, other_generation(scenario), other_chip(scenario),
                   servers_on_gpus(scenario), slips(scenario), slips(scenario.cluster),
                   unused_blocks(scenario), vain_graph(scenario), network_warnings(scenario),
                   nic_warnings(scenario, !other.empty()), schedule_warnings(scenario.job),
                   extrapolations(scenario), hanging_ranks(scenario), short_memory(scenario),
                   input_warnings(scenario), crowded_cores(scenario)});
}

}  // namespace ringscope
