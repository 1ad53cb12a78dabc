// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/choice/choice.hpp"

#include <bit>
#include <set>

namespace ringscope {
namespace {

/// Algorithm that comes nearest to one channel, by nccl::Function.
constexpr Array<std::string_view, nccl::function_names.size()> one_channels = {
    "ring", "ring", "ring", "chain", "ring"};

int nodes_of(int ranks, const std::vector<int>* hosts) {
  if (hosts == nullptr) return ranks;
  assert(std::ssize(*hosts) >= ranks);
  return static_cast<int>(std::set<int>(hosts->begin(), hosts->begin() + ranks).size());
}

nccl::Forced forced_by(const Options& options) {
  nccl::Forced forced;
  const auto& names = nccl::algorithm_names;
  if (const auto found = std::ranges::find(names, options.algorithm); found != names.end())
    forced.algorithm = static_cast<nccl::Pattern>(found - names.begin());
  if (options.protocol != "auto") forced.protocol = protocol_named(options.protocol);
  return forced;
}

// NCCL's collectives as it chooses them itself: by what it expects each algorithm to take with the
// best of its protocols (tuning.hpp).
//
// Where the library says what each protocol costs (`blocks`), rings and trees are those of a
// kernel's channels. Elsewhere the protocol decides only where ring and tree give way to each
// other: what a message costs is then the scenario's library profile's to say. NCCL cuts what goes
// up a tree by rules of its own; here `segment` does. A reduce is then the ring of one channel,
// which sums chunk by chunk, and a broadcast a chain in segments.
//
// Groups of sends and receives take all channels, as a power of two. Nothing is chosen but how many
// share a pair's bytes (peer_channels.hpp). Without `blocks` all are posted at once.

template <nccl::Function function>
constexpr Selection tuned(std::string_view collective, std::string_view summary) {
  const auto choose = [](int ranks, std::size_t items, const Options& options) {
    return nccl_choice(function, ranks, items, options);
  };
  return {.collective = collective, .name = "nccl", .summary = summary, .choose = choose};
}

constexpr Selection allgather = tuned<nccl::Function::allgather>(
    "allgather", "a ring or parallel trees, as NCCL expects it to take less");
constexpr Selection allreduce = tuned<nccl::Function::allreduce>(
    "allreduce", "ring, double binary tree or NVLS, as NCCL expects it to take least");
constexpr Selection broadcast = tuned<nccl::Function::broadcast>(
    "broadcast", "a chain from the root, by the protocol that NCCL expects to take least");
constexpr Selection reduce = tuned<nccl::Function::reduce>(
    "reduce", "a chain to the root, by the protocol that NCCL expects to take least");
constexpr Selection reduce_scatter = tuned<nccl::Function::reduce_scatter>(
    "reduce_scatter", "a ring or parallel trees, as NCCL expects it to take less");

template <const Selection& selection>
Algorithm tuned_selector(std::vector<std::string_view> options) {
  options.insert(options.end(), {"protocol", "channels", "sms", "gpus_per_thread"});
  return paced_selector<selection>(std::move(options), nccl_threads);
}

Choice choose_peers(int ranks, std::size_t, const Options& options) {
  if (ranks == 1 || options.given.nccl == nullptr) return {"posted"};
  return {.name = "channel_peers", .channels = nccl_channels(options)};
}

constexpr Selection peers(std::string_view collective, std::string_view summary) {
  return {.collective = collective, .name = "nccl", .summary = summary, .choose = choose_peers};
}

constexpr Selection alltoall =
    peers("alltoall", "sends and receives with all, as NCCL groups them");
constexpr Selection alltoallv =
    peers("alltoallv", "sends and receives with all, as NCCL groups them");
constexpr Selection sendrecv =
    peers("sendrecv", "a send to the next rank and a receive, as NCCL groups them");

int peer_threads(const Options& options) {
  return options.given.nccl == nullptr
             ? 1
             : static_cast<int>(std::bit_ceil(static_cast<unsigned>(nccl_channels(options))));
}

/// `more`: options beside the channels.
template <const Selection& selection>
Algorithm peers_selector(std::vector<std::string_view> more = {}) {
  more.insert(more.begin(), {"channels", "gpus_per_thread"});
  return paced_selector<selection>(std::move(more), peer_threads);
}

}  // namespace

std::optional<nccl::Function> nccl_function(std::string_view collective) {
  const auto found = std::ranges::find(nccl::function_names, collective);
  if (found == nccl::function_names.end()) return {};
  return static_cast<nccl::Function>(found - nccl::function_names.begin());
}

Choice nccl_choice(nccl::Function function, int ranks, std::size_t items, const Options& options) {
  const std::string_view one_channel = one_channels[function];
  if (ranks == 1) return {one_channel};
  const nccl::KernelCall call = {ranks, nodes_of(ranks, options.given.hosts), function};
  const nccl::Platform& machine = nccl::machine_of(options.given.nccl);
  const std::uint64_t bytes = bytes_of(items, options);
  const nccl::KernelChoice choice = nccl::choose(call, bytes, machine, forced_by(options));
  if (options.given.nccl == nullptr)
    return {choice.algorithm == nccl::Pattern::tree ? "double_binary_tree" : one_channel};
  constexpr Array<std::string_view, 4> in_channels = {"channel_trees", "channel_rings",
                                                      "channel_switch", "channel_pat"};
  return {.name = in_channels[choice.algorithm],
          .protocol = protocol_names[choice.protocol],
          .channels = options.channels > 0 ? options.channels
                                           : nccl::channels(choice, call, bytes, machine)};
}

// A graph of kernels that follow each other takes the thread 2.5 us, and 1 ns for each of them:
// NVIDIA's blog, Constant Time Launch for Straight-Line CUDA Graphs (CUDA 12.6).
Duration issue_time(const Options& options) {
  constexpr double of_graph = 1e-9;  // one graph holds all calls of a loop
  if (options.given.nccl == nullptr) return {};
  const double issue = options.given.nccl->issue;
  return Duration((options.given.cuda_graph ? std::min(issue, of_graph) : issue) *
                  options.gpus_per_thread);
}

int nccl_channels(const Options& options) {
  if (options.given.nccl == nullptr) return 1;
  if (options.channels > 0) return options.channels;
  const nccl::Platform& machine = *options.given.nccl;
  return machine.most > 0 ? machine.most
                          : 2 * std::max(machine.rings.inside.count, machine.rings.between.count);
}

int nccl_threads(const Options& options) {
  if (options.given.nccl == nullptr) return 1;
  const int channels = options.channels > 0
                           ? options.channels
                           : std::max(nccl_channels(options), options.given.nccl->nvls_channels);
  return options.sms > 0 ? std::min(options.sms, channels) : channels;
}

bool is_forced_in_vain(std::string_view collective, int ranks, const Options& options) {
  const auto function = nccl_function(collective);
  const nccl::Forced forced = forced_by(options);
  if (!function || ranks < 2) return false;
  const nccl::KernelCall call = {ranks, nodes_of(ranks, options.given.hosts), *function};
  const nccl::Platform& machine = nccl::machine_of(options.given.nccl);
  for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
    for (const auto algorithm :
         {nccl::Pattern::tree, nccl::Pattern::ring, nccl::Pattern::nvls, nccl::Pattern::pat})
      if (forced.protocol.value_or(protocol) == protocol &&
          forced.algorithm.value_or(algorithm) == algorithm &&
          nccl::is_known({algorithm, protocol}, call, machine))
        return false;
  return true;
}

std::string nccl_choice_text(std::string_view collective, int ranks, std::size_t items,
                             const Options& options) {
  const auto function = nccl_function(collective);
  if (!function) return "";
  const Choice choice = nccl_choice(*function, ranks, items, options);
  if (choice.protocol.empty()) return "";
  return std::string(choice.protocol) + ", " + std::to_string(choice.channels) +
         (choice.channels == 1 ? " channel" : " channels");
}

std::vector<NcclTuningRow> nccl_tuning(int ranks, int nodes, const nccl::Platform& machine,
                                       std::span<const std::uint64_t> sizes) {
  using nccl::Pattern;
  std::vector<NcclTuningRow> rows;
  for (std::size_t function = 0; function < nccl::function_names.size(); ++function) {
    const nccl::KernelCall call = {ranks, nodes, static_cast<nccl::Function>(function)};
    for (const Pattern algorithm : {Pattern::tree, Pattern::ring, Pattern::nvls, Pattern::pat})
      for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
        const nccl::KernelChoice choice = {algorithm, protocol};
        if (!nccl::is_weighed(choice, call, machine)) continue;
        NcclTuningRow& row = rows.emplace_back(
            NcclTuningRow{call.function, choice, nccl::latency(algorithm, protocol, call, machine),
                          nccl::bandwidth(algorithm, protocol, call, machine)});
        for (const std::uint64_t bytes : sizes) {
          row.times.push_back(nccl::time(algorithm, protocol, call, bytes, machine));
          row.chosen.push_back(nccl::choose(call, bytes, machine) == choice);
        }
      }
  }
  return rows;
}

Algorithm describe_nccl_allgather() { return tuned_selector<allgather>({"algorithm"}); }
Algorithm describe_nccl_allreduce() { return tuned_selector<allreduce>({"segment", "algorithm"}); }
Algorithm describe_nccl_broadcast() { return tuned_selector<broadcast>({"root", "segment"}); }
Algorithm describe_nccl_reduce() { return tuned_selector<reduce>({"root"}); }
Algorithm describe_nccl_reduce_scatter() { return tuned_selector<reduce_scatter>({"algorithm"}); }
Algorithm describe_nccl_alltoall() { return peers_selector<alltoall>(); }
Algorithm describe_nccl_alltoallv() { return peers_selector<alltoallv>({"sizes"}); }
Algorithm describe_nccl_sendrecv() { return peers_selector<sendrecv>(); }

}  // namespace ringscope
