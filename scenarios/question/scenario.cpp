// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "algorithms/training/training.hpp"
#include "nccl/choice/choice.hpp"
#include "scenarios/library/library.hpp"
#include "scenarios/question/nccl_communicators.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

/// The host of that name or number.
int host_at(const Value& value, const Topology& topology) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < topology.hosts().size(); ++i) {
    names.push_back(topology.hosts()[i].name);
    if (value.text() == std::to_string(i) || value.text() == names.back())
      return static_cast<int>(i);
  }
  value.fail(unknown_name("host", value.text(), names));
}

/// `bandwidth` of a store; `host`, by name or number, where there is one store for all.
Storage read_storage(const Value& value, const Topology& topology) {
  Fields fields(value, "storage");
  Storage storage;
  storage.bandwidth = fields.required("bandwidth").bandwidth();
  const Value* host = fields.optional("host");
  fields.finish();
  if (host == nullptr) return storage;
  storage.host = host_at(*host, topology);
  return storage;
}

void require_gpus(const Value& library, const Scenario& scenario) {
  std::vector<Location> ranks = places_of(scenario.neighbours);
  ranks.insert(ranks.end(), scenario.placement.ranks.begin(), scenario.placement.ranks.end());
  const bool gpus =
      std::ranges::any_of(ranks, [](const Location& where) { return where.gpu >= 0; });
  if (gpus && !scenario.library.knows_gpus)
    library.fail(
        "ranks are placed on GPUs, and library '{}' has no costs of their messages: it lacks "
        "p2p, staged and gdr, as 'cuda_pinned' has",
        scenario.library.name);
}

/// The job's algorithm, or what a training job exchanges gradients with, where that has channels.
const Algorithm* channelled(const Job& job) {
  if (has_channels(*job.algorithm)) return job.algorithm;
  const Algorithm* exchange = job.training != nullptr ? job.training->exchange : nullptr;
  return exchange != nullptr && has_channels(*exchange) ? exchange : nullptr;
}

void give_channels(Job& job, const NcclParts& parts) {
  job.nccl = parts.machine;
  job.rings = parts.rings;
  job.options.given.nccl = job.nccl.get();
  job.options.given.orders = job.rings != nullptr ? &job.rings->rings : nullptr;
  const bool trees = job.rings != nullptr && job.rings->logged && !job.rings->trees.empty();
  job.options.given.trees = trees ? &job.rings->trees : nullptr;
}

/// Searches for them, or reads them from the file, where nobody has yet.
void take_channels(Scenario& scenario, const std::optional<Value>& file, KnownParts& known,
                   std::optional<NcclParts>& parts) {
  // A library's choice opens channels only where it is known what they cost.
  if (!scenario.library.blocks && channelled(scenario.job)->chosen != nullptr) {
    if (file)
      file->fail(
          "nccl runs as one ring, along no other: library '{}' does not state the costs of "
          "NCCL's blocks ('blocks')",
          scenario.library.name);
    return;
  }
  if (!parts)
    parts =
        nccl_parts(scenario.cluster.topology, scenario.placement, scenario.library, file, known);
  give_channels(scenario.job, *parts);
  if (file) scenario.job.rings_file = path_from(file->place(), file->text());
}

/// Groups of ranks get NCCL's communicators.
void take_groups(Job& job, const Placement& placement, const Scenario& scenario,
                 KnownParts& known) {
  if (job.algorithm->groups == nullptr || !has_nccl_groups(placement, scenario.library)) return;
  const auto ranks = static_cast<int>(placement.ranks.size());
  job.groups = nccl_groups(scenario.cluster.topology, placement, scenario.library,
                           job.algorithm->groups(ranks, job.options), known);
  job.options.given.groups = &job.groups->known;
}

/// Background jobs go along rings of their own.
void take_channels_of_neighbours(Scenario& scenario, KnownParts& known) {
  if (!scenario.library.blocks) return;
  for (Neighbour& one : scenario.neighbours) {
    take_groups(one.job, one.placement, scenario, known);
    if (channelled(one.job) != nullptr)
      give_channels(one.job, nccl_parts(scenario.cluster.topology, one.placement, scenario.library,
                                        {}, known));
  }
}

/// Refuses to force what is not there, or the run would silently take something else.
void require_forced(const Value& job, const Scenario& scenario) {
  const Job& asked = scenario.job;
  const Options& options = asked.options;
  if (asked.algorithm->name != "nccl") return;
  const PlacedOptions placed(asked, scenario.placement);
  if (!is_forced_in_vain(asked.algorithm->collective, placed.ranks(), *placed)) return;
  const bool nvls =
      options.algorithm == "nvls" &&
      (asked.algorithm->collective == "allreduce" || asked.algorithm->collective == "allgather" ||
       asked.algorithm->collective == "reduce_scatter");
  const bool rccl =
      scenario.library.blocks && scenario.library.blocks->generation == nccl::Generation::cdna3;
  const Value* forced = job.find("options");
  if (forced != nullptr)
    forced = forced->find(options.algorithm == "auto" ? "protocol" : "algorithm");
  (forced != nullptr ? *forced : job)
      .fail(
          "{}CCL has no {} of {} with protocol {} here: {}", rccl ? 'R' : 'N',
          asked.algorithm->collective, options.algorithm, options.protocol,
          rccl ? "it has rings, trees of an allreduce (on one host not with Simple), and LL128 "
                 "between hosts alone, from 2.26 on"
          : nvls
              ? "NVLS needs hosts with an NVSwitch and H100 or later (one host, and 2.19 or "
                "later, for chunks), a library with 'blocks.in_switch', and protocol auto or Simple"
              : "allreduce has ring, tree (any protocol) and nvls (Simple), allgather and "
                "reduce_scatter have ring (any), pat and, on one host, nvls (Simple)");
}

/// The library's detours are a host's, of which each of its ranks' cores has a part.
DetourTimes detours_of_a_core(const Scenario& scenario) {
  DetourTimes times = scenario.library.detours;
  const auto& placement = scenario.placement;
  times.every = times.every * (static_cast<double>(placement.ranks.size()) /
                               static_cast<double>(placement.ranks_by_host().size()));
  return times;
}

/// One scenario per size. The ranks are placed as `placed` says, or, where that is empty, the tree.
std::vector<Scenario> read_with(const Value& tree, const std::string& name,
                                std::span<const Placement> placed, KnownParts& known) {
  refuse_unknown_keys(tree, "a scenario",
                      {"question", "cluster", "library", "placement", "storage", "job",
                       "neighbours", "cases", "compare", "lesson"});
  Fields fields(tree, "a scenario");
  Scenario scenario;
  scenario.question = fields.required("question").text();
  const Value& cluster = fields.required("cluster");
  const Value& library = fields.required("library");
  const Value& placement = fields.required("placement");
  const Value& job = fields.required("job");
  scenario.cluster = known.cluster(cluster);
  scenario.library = known.library_over(scenario.cluster.transport_name, library);
  fields.resolve("cluster", scenario.cluster.resolved);
  fields.resolve("library", scenario.library.resolved);
  const Topology& topology = scenario.cluster.topology;
  scenario.neighbours = read_neighbours(fields, topology, scenario.library,
                                        placed.empty() ? placed : placed.subspan(1));
  // The background jobs are placed first.
  scenario.placement = placed.empty()
                           ? read_placement(on_gpus(placement, job, scenario.library, topology),
                                            topology, places_of(scenario.neighbours))
                           : placed.front();
  require_gpus(library, scenario);
  take_channels_of_neighbours(scenario, known);
  if (const Value* storage = fields.optional("storage"))
    scenario.storage = read_storage(*storage, topology);
  const std::vector<ReadJob> jobs =
      read_jobs(job, static_cast<int>(scenario.placement.ranks.size()),
                has_nccl_groups(scenario.placement, scenario.library));
  std::vector<Scenario> scenarios;
  std::optional<NcclParts> nccl;
  for (const ReadJob& read : jobs) {
    scenario.job = read.job;
    if (DetourTimes& own = scenario.job.noise.detours; own.every.count() == 0)
      own = detours_of_a_core(scenario);
    for (const Value& host : read.slow_hosts)
      scenario.job.noise.slow_hosts.push_back(host_at(host, topology));
    take_vectors(scenario.library, scenario.job.bytes);
    require_ranks(placement, scenario.placement, scenario.job);
    if (channelled(scenario.job) != nullptr) take_channels(scenario, read.rings, known, nccl);
    take_groups(scenario.job, scenario.placement, scenario, known);
    require_forced(job, scenario);
    fields.resolve("job", read.resolved);
    scenario.resolved = fields.resolved();
    scenario.name = jobs.size() == 1 ? name : name + " " + to_text(read.job.bytes);
    scenarios.push_back(scenario);
    if (threads_of(*read.job.algorithm, read.job.options) > 1) lock_calls(scenarios.back().library);
  }
  return scenarios;
}

}  // namespace

void require_ranks(const Value& place, const Placement& placement, const Job& job) {
  const Algorithm& algorithm = *job.algorithm;
  const auto& ranks = placement.ranks;
  if (std::ssize(ranks) < algorithm.least_ranks)
    place.fail("the {} {} needs at least {} ranks, got {}", algorithm.collective, algorithm.name,
               algorithm.least_ranks, ranks.size());
  const bool spread = std::ranges::any_of(
      ranks, [&](const Location& where) { return where.host != ranks.front().host; });
  if (algorithm.one_host && spread)
    place.fail("the {} {} runs on one host, and the ranks are on several", algorithm.collective,
               algorithm.name);
}

bool Job::draws_times() const {
  return noise.spread > 0 || noise.detours.any() ||
         (training != nullptr && training->input.varies());
}

std::map<int, FurtherThreads> further_threads(const Scenario& scenario) {
  const Library& library = scenario.library;
  const bool progress =
      library.progress == Progress::thread && library.progress_core == ProgressCore::spare;
  std::map<int, FurtherThreads> hosts;
  std::set<std::tuple<int, int, int>> bound;
  const auto add_threads = [&](const Placement& placement, const Job& job) {
    if (job.algorithm == nullptr) return;  // a machine without a program
    const bool streams = job.schedule != nullptr || (job.training && job.training->llm);
    const bool spare = library.thread_core == ProgressCore::spare && !streams;
    const int each = (spare ? threads_of(*job.algorithm, job.options) - 1 : 0) +
                     (progress ? library.endpoints : 0);
    for (const Location& where : placement.ranks)
      if (each > 0 && where.gpu < 0 && where.binding == Binding::core)
        hosts[where.host].threads += each;
  };
  const auto take_cores = [&](const Placement& placement) {
    for (const Location& where : placement.ranks)
      if (const auto host = hosts.find(where.host);
          host != hosts.end() && where.binding == Binding::core &&
          bound.insert({where.host, where.numa, where.core}).second)
        --host->second.cores;
  };
  add_threads(scenario.placement, scenario.job);
  for (const Neighbour& one : scenario.neighbours) add_threads(one.placement, one.job);
  take_cores(scenario.placement);
  for (const Neighbour& one : scenario.neighbours) take_cores(one.placement);
  const Topology& topology = scenario.cluster.topology;
  for (auto& [index, host] : hosts) host.cores += cores_of(topology, index);
  return hosts;
}

void refuse_unknown_keys(const Value& map, const std::string& what,
                         std::initializer_list<const char*> known) {
  Fields fields(map, what);
  for (const char* key : known) fields.optional(key);
  fields.finish();
}

std::vector<Scenario> read_tree(const Value& tree, const std::string& name) {
  KnownParts none;
  return read_tree(tree, name, none);
}

std::vector<Scenario> read_tree(const Value& tree, const std::string& name, KnownParts& known) {
  return read_with(tree, name, {}, known);
}

Scenario read_placed(const Value& tree, std::span<const Placement> placed, KnownParts& known) {
  return std::move(read_with(tree, "", placed, known).front());
}

std::vector<Placement> placements_of(const Scenario& scenario) {
  std::vector<Placement> all = {scenario.placement};
  for (const Neighbour& one : scenario.neighbours) all.push_back(one.placement);
  return all;
}

std::vector<Scenario> read_scenarios(const std::string& name,
                                     const std::vector<Override>& overrides) {
  const std::string file = scenario_file(name);
  const std::string stem = std::filesystem::path(file).stem().string();
  const Value read = Value::from_file(file);
  refuse_study(name, read);
  return read_cases(read, stem, overrides);
}

std::vector<Scenario> read_cases(const Value& file, const std::string& stem,
                                 const std::vector<Override>& overrides) {
  std::vector<Scenario> scenarios;
  KnownParts known;
  for (const CaseTree& one : case_trees(file, stem, overrides))
    for (Scenario& scenario : read_tree(one.tree, one.name, known))
      scenarios.push_back(std::move(scenario));
  return scenarios;
}

}  // namespace ringscope
