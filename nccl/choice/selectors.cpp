// SPDX-License-Identifier: LGPL-2.1-or-later
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
#include <bit>

#include "nccl/choice/choice.hpp"

namespace ringscope {
namespace {

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
  if (ranks == 1 || options.nccl == nullptr) return {"posted"};
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
  return options.nccl == nullptr
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

Algorithm describe_nccl_allgather() { return tuned_selector<allgather>({"algorithm"}); }
Algorithm describe_nccl_allreduce() { return tuned_selector<allreduce>({"segment", "algorithm"}); }
Algorithm describe_nccl_broadcast() { return tuned_selector<broadcast>({"root", "segment"}); }
Algorithm describe_nccl_reduce() { return tuned_selector<reduce>({"root"}); }
Algorithm describe_nccl_reduce_scatter() { return tuned_selector<reduce_scatter>({"algorithm"}); }
Algorithm describe_nccl_alltoall() { return peers_selector<alltoall>(); }
Algorithm describe_nccl_alltoallv() { return peers_selector<alltoallv>({"sizes"}); }
Algorithm describe_nccl_sendrecv() { return peers_selector<sendrecv>(); }

}  // namespace ringscope
