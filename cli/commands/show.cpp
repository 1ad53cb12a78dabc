// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "cli/cases/cases.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "nccl/groups/communicators.hpp"
#include "scenarios/answer/text/table.hpp"
#include "scenarios/answer/text/topology_text.hpp"
#include "scenarios/question/scenario.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "sim/machine/peer_matrix.hpp"
#include "topologies/exports/exports.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

struct ShowArguments {
  std::string name, dot, simgrid, peers, from, to;
  QuestionArguments question;
  std::vector<std::string> only;
  bool nccl = false, tuning = false, all = false;
};

/// A cluster, and what is to be shown of it: the ranks of a scenario, or the hosts.
struct Shown {
  std::string heading;
  Cluster cluster;
  std::string noun;
  std::vector<Endpoint> endpoints = {};
  bool always_staged = false;  ///< the library takes GPUs' messages through the host's memory
  std::vector<nccl::GpuPlace> gpus = {};  ///< of the ranks, or all; -1 of a rank on cores
  std::shared_ptr<const nccl::Platform> machine = nullptr;  ///< of NCCL, as the library has it
};

Shown shown_of(const Cluster& cluster) {
  Shown shown{fmt::format("{}: {}", cluster.name, cluster.about), cluster, "host"};
  for (const Host& host : cluster.topology.hosts()) {
    const int number = static_cast<int>(shown.endpoints.size());
    shown.endpoints.push_back({host.name, host.numa_domains.at(0)});
    for (int gpu = 0; gpu < std::ssize(host.gpus); ++gpu) shown.gpus.push_back({number, gpu});
  }
  return shown;
}

Shown shown_of(const Scenario& scenario) {
  const Topology& topology = scenario.cluster.topology;
  Shown shown{
      fmt::format("{}: {} on {}", scenario.name, scenario.placement.text, scenario.cluster.name),
      scenario.cluster, "rank"};
  for (std::size_t rank = 0; rank < scenario.placement.ranks.size(); ++rank) {
    const Location& place = scenario.placement.ranks[rank];
    const Vertex here = home_of(topology, place);
    shown.endpoints.push_back(
        {fmt::format("rank {} on {}", rank, topology.graph()[here].name), here});
    shown.gpus.push_back({place.host, place.gpu});
  }
  shown.always_staged = scenario.library.gpu.always_staged;
  shown.machine = scenario.job.nccl;
  return shown;
}

Shown read(const ShowArguments& arguments) {
  const std::string& name = arguments.name;
  if (const auto alone = arguments.question.only_cluster(); name.empty() && alone)
    return shown_of(read_cluster(*alone));
  if (name.empty() || is_read_as_scenario(name))
    return shown_of(only_cases(read_question(name, arguments.question), arguments.only).at(0));
  refuse_options_for(name, arguments.question, arguments.only);
  if (is_path(name)) return shown_of(read_cluster(typed("show", name)));
  const std::vector<std::string> clusters = names_in("topologies/clusters");
  if (std::ranges::find(clusters, name) != clusters.end())
    return shown_of(read_cluster(typed("show", name)));
  std::vector<std::string> known = names_in(scenarios_folder);
  known.insert(known.end(), clusters.begin(), clusters.end());
  typed("show", name).fail(unknown_file("scenario or cluster", typed("show", name), known));
}

/// Endpoint by its number, a host by its name, or a GPU or NUMA domain by its name.
Endpoint endpoint(const Shown& shown, const char* option, const std::string& text) {
  const auto index = whole_number<std::size_t>(text);
  if (index && *index < shown.endpoints.size()) return shown.endpoints[*index];
  const auto named = std::ranges::find(shown.endpoints, text, &Endpoint::label);
  if (named != shown.endpoints.end()) return *named;
  const Graph& graph = shown.cluster.topology.graph();
  for (Vertex vertex = 0; vertex < graph.size(); ++vertex) {
    const ComponentKind kind = graph[vertex].kind;
    if ((kind == ComponentKind::gpu || kind == ComponentKind::numa_domain) &&
        graph[vertex].name == text)
      return {text, vertex};
  }
  throw BadInput(
      "{}: expected a {} from 0 to {}, or a GPU or NUMA domain such as {}, "
      "got {}",
      option, shown.noun, shown.endpoints.size() - 1, graph[shown.endpoints.back().vertex].name,
      text);
}

/// Route between GPUs of one host by the host's rules, or as the library stages them.
StagedRoute journey_of(const Shown& shown, const Endpoint& from, const Endpoint& to) {
  const Topology& topology = shown.cluster.topology;
  const Component &here = topology.graph()[from.vertex], &there = topology.graph()[to.vertex];
  const bool gpus = here.kind == ComponentKind::gpu && there.kind == ComponentKind::gpu;
  const auto number = [&](const Endpoint& one) {
    return std::ranges::find(shown.endpoints, one.label, &Endpoint::label) -
           shown.endpoints.begin();
  };
  const auto flow =
      static_cast<std::uint64_t>(number(from) * std::ssize(shown.endpoints) + number(to));
  if (!gpus || here.host != there.host || from.vertex == to.vertex || !shown.always_staged)
    return topology.staged_route(from.vertex, to.vertex, shown.noun == "rank" ? flow : 0);
  const Vertex between = topology.nearest_domain(from.vertex);
  StagedRoute journey{
      .legs = {topology.route(from.vertex, between), topology.route(between, to.vertex)},
      .staging = {between}};
  journey.latency = journey.legs[0].latency + journey.legs[1].latency +
                    topology.hosts()[here.host].staging_latency;
  return journey;
}

std::string matrix_text(const std::vector<std::vector<double>>& values, double factor) {
  return square_text("to", values.size(), [&](std::size_t from, std::size_t to) {
    const double value = values[from][to];
    return std::isfinite(value) ? fmt::format("{:.2f}", value * factor) : "-";
  });
}

std::string matrices_text(const PeerMatrix& matrix, std::string_view access) {
  return fmt::format("GPU to GPU, {}: bandwidth in GB/s, one way\n{}\n", access,
                     matrix_text(matrix.bandwidth, 1e-9)) +
         fmt::format("GPU to GPU, {}: bandwidth in GB/s, both directions together\n{}\n", access,
                     matrix_text(matrix.both_ways, 1e-9)) +
         fmt::format("GPU to GPU, {}: latency in us\n{}", access,
                     matrix_text(matrix.latency_s, 1e6));
}

/// Peer access as TensorFlow logs it: a row of Y and N for each GPU of the host.
std::string print_access(const Topology& topology, const Host& host) {
  const auto cell = [&](std::size_t from, std::size_t to) {
    return topology.peer_access(host.gpus[from], host.gpus[to]) ? "Y" : "N";
  };
  return "GPU to GPU: peer access (Y), or through host memory (N)\n" +
         square_text("DMA:", host.gpus.size(), cell);
}

/// Bandwidths one way and both ways, and latencies, with peer access as the host grants it, and
/// without.
std::string print_peers(const PeerMatrix& granted, const PeerMatrix& staged) {
  std::string text;
  for (std::size_t i = 0; i < granted.gpus.size(); ++i)
    text += fmt::format("{:>2}  {}\n", i, granted.gpus[i]);
  return text + '\n' + matrices_text(granted, "peer access as granted") + '\n' +
         matrices_text(staged, "without peer access");
}

/// `metric,src,dst,value`, as validation/published/p2p-gtx1080ti-x4.csv has it.
std::string peers_csv(const PeerMatrix& matrix) {
  std::string text = "metric,src,dst,value\n";
  const auto add = [&](std::string_view metric, const auto& values, double factor) {
    for (std::size_t from = 0; from < values.size(); ++from)
      for (std::size_t to = 0; to < values.size(); ++to)
        if (std::isfinite(values[from][to]))
          text += fmt::format("{},{},{},{}\n", metric, from, to, values[from][to] * factor);
  };
  add("latency_us", matrix.latency_s, 1e6);
  add("bandwidth_gb_per_s", matrix.bandwidth, 1e-9);
  return text;
}

/// The first host with two GPUs or more; -1 when there is none.
int host_with_gpus(const Topology& topology) {
  for (std::size_t host = 0; host < topology.hosts().size(); ++host)
    if (topology.hosts()[host].gpus.size() > 1) return static_cast<int>(host);
  return -1;
}

/// The peer matrices as text, and as CSV where `file` names one.
std::string peers(const Cluster& cluster, const std::string& file) {
  const int host = host_with_gpus(cluster.topology);
  if (host < 0) {
    if (!file.empty()) throw BadInput("--peers: no host of this cluster has two GPUs");
    return "";
  }
  const auto matrices = measure_peers(cluster, host, {true, false});
  if (!file.empty()) write_output(file, peers_csv(matrices[0]));
  const Topology& topology = cluster.topology;
  return '\n' + print_access(topology, topology.hosts()[host]) + '\n' +
         print_peers(matrices[0], matrices[1]);
}

/// The generation by what NVLinks of a GPU carry.
nccl::Generation generation_of(const nccl::HostGraph& graph) {
  constexpr int volta = 70, each = 10;  // compute capability, times 10
  return static_cast<nccl::Generation>((graph.generation - volta) / each);
}

/// The machine of the scenario's library, or the newest NCCL (RCCL) of these GPUs.
std::string expected_by_nccl(const Shown& shown) {
  const nccl::JobChannels found = nccl::find_channels(shown.cluster.topology, shown.gpus);
  const nccl::Platform newest = {
      .generation =
          gpu_generation(shown.cluster).value_or(generation_of(found.hosts.front().found->graph)),
      .version = BlockCosts{}.version};
  return print_nccl_tuning(
      shown.machine != nullptr ? *shown.machine : nccl::machine_of(found, newest, true),
      static_cast<int>(shown.gpus.size()), static_cast<int>(found.hosts.size()));
}

std::string nccl_channels(const Shown& shown, bool tuning) {
  const auto fail = [](const std::string& why) -> void { throw BadInput("--nccl: " + why); };
  if (shown.gpus.empty()) fail("no host of this cluster has a GPU");
  std::set<nccl::GpuPlace> taken;
  for (std::size_t rank = 0; rank < shown.gpus.size(); ++rank) {
    if (shown.gpus[rank].gpu < 0)
      fail(fmt::format("{} is not on a GPU; say 'placement: {{on: gpu}}'",
                       shown.endpoints[rank].label));
    if (!taken.insert(shown.gpus[rank]).second)
      fail(fmt::format("{} shares its GPU with another rank, which NCCL rejects",
                       shown.endpoints[rank].label));
  }
  if (tuning && shown.gpus.size() < 2) fail("--tuning is for two GPUs or more");
  return tuning ? expected_by_nccl(shown) : print_nccl(shown.cluster.topology, shown.gpus);
}

void show(const ShowArguments& arguments, bool route) {
  ProgressBar bar("reading and routing");
  const Shown shown = read(arguments);
  const Topology& topology = shown.cluster.topology;
  std::string text = shown.heading + "\n\n";
  if (route) {
    const Endpoint from = endpoint(shown, "--from", arguments.from);
    const Endpoint to = endpoint(shown, "--to", arguments.to);
    text += print_route(topology, journey_of(shown, from, to), from, to);
  } else if (arguments.nccl) {
    text += nccl_channels(shown, arguments.tuning);
  } else {
    text += print_network(topology) + print_parts(topology, arguments.all) + '\n' +
            print_matrices(topology, shown.endpoints);
    text += peers(shown.cluster, arguments.peers);
  }
  bar.end();
  if (!arguments.dot.empty()) write_output(arguments.dot, to_dot(topology));
  if (!arguments.simgrid.empty()) write_output(arguments.simgrid, to_simgrid(topology));
  if (!print_text({arguments.dot, arguments.simgrid, arguments.peers})) return;
  show_screen(text);
  const std::string words =
      (arguments.name.empty() ? "" : " " + shell_word(arguments.name)) + arguments.question.words();
  suggest(shown.noun == "rank" ? "ringscope run" + words
                               : "ringscope show" + words + " --dot machine.dot");
}

}  // namespace

void add_show(Command& program) {
  Command command = program.add_subcommand("show");
  const auto arguments = std::make_shared<ShowArguments>();
  command.add_option("SCENARIO|CLUSTER", arguments->name);
  add_question_options(command, arguments->question);
  command.add_option("--case", arguments->only).one_word();
  command.add_option("--dot", arguments->dot);
  command.add_option("--simgrid", arguments->simgrid);
  command.add_option("--peers", arguments->peers);
  Option from = command.add_option("--from", arguments->from);
  Option to = command.add_option("--to", arguments->to);
  Option nccl = command.add_flag("--nccl", arguments->nccl);
  command.add_flag("--tuning", arguments->tuning).needs(nccl);
  command.add_flag("--all", arguments->all);
  from.needs(to);
  to.needs(from);
  command.callback([arguments, from] { show(*arguments, from.said()); });
}

}  // namespace ringscope
