// SPDX-License-Identifier: LGPL-2.1-or-later
// NCCL's estimate of a collective's time, by ring or, of an allreduce, by tree or by the switches
// of NVLink SHARP (NVLS; between hosts in a tree), of allgather and reduce-scatter by parallel
// trees (PAT) or, on one host, by NVLS, with each of its protocols: LL sends a flag with every four
// bytes, LL128 one with every 120, Simple none but it has to synchronise.
//
// Source of every constant and formula: NCCL 2.12.12, 2.18.3, 2.19.3, 2.20.3, 2.21.5 to 2.25.1,
// 2.26.2 to 2.28.3 and 2.30.7, src/graph/tuning.cc, ncclTopoTuneModel and ncclTopoGetAlgoTime;
// 2.31.2, src/tuning; of the channels 2.30.7, src/enqueue.cc, topoGetAlgoInfo. Assumed are x86
// processors, no CollNet, no environment variables and no registered buffers. Between hosts NVLS of
// allgather and reduce-scatter needs CollNet.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "algorithms/verbs/group.hpp"

namespace ringscope::nccl {

enum class Pattern : std::uint8_t { tree, ring, nvls, pat };
/// Names by Algorithm, as options have them.
inline constexpr Array<std::string_view, 4> algorithm_names = {"tree", "ring", "nvls", "pat"};
enum class Function : std::uint8_t { allreduce, allgather, reduce_scatter, broadcast, reduce };
/// Names by Function, as collectives have them.
inline constexpr std::array<std::string_view, 5> function_names = {
    "allreduce", "allgather", "reduce_scatter", "broadcast", "reduce"};
/// NVIDIA's in the order of NCCL's tables, then AMD's, whose library is RCCL (rccl.hpp).
enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell, cdna3 };

/// Rings, or trees, that NCCL's search finds; it then opens two channels for each.
struct Channels {
  int count = 1;
  double each = 0;  ///< GB/s
};

/// Result of one search: the rings, or the trees.
struct Graph {
  Channels inside = {12, 20.0}, pair = {2, 6.0}, between = {2, 6.0};  ///< on 1 host, 2, more
  bool nvlink = true;   ///< between neighbours on a host; else PCIe
  bool direct = true;   ///< by no third GPU's NVLinks
  bool ll128 = true;    ///< no link that breaks up its 128 bytes
  bool same = true;     ///< all channels visit the GPUs in one order
  bool chains = false;  ///< a port's data comes to and leaves from one GPU; balanced: from two
};

/// Machine as NCCL's search describes it. The defaults are what is assumed where nothing is known:
/// Ampere, 12 rings of 20 GB/s inside a host, one NIC of 100 Gbit/s.
struct Platform {
  Generation generation = Generation::ampere;
  int version = 221;  ///< of NCCL: 2.21
  bool amd = false;   ///< CPUs
  Graph rings{}, trees{};
  /// us: latency of a NIC as its plug-in states it to NCCL: 75 of AWS's for EFA (aws-ofi-nccl,
  /// src/platform-aws.c), 0 of InfiniBand and sockets.
  double nic_latency = 0;
  int most = 0;  ///< channels of a communicator; 0: two for each ring
  /// Heads of NVLS on each host, what each takes inside and to its NIC, and the blocks of threads
  /// that serve them; 0: there is no switch that adds up and copies.
  Channels heads = {0, 0};
  double heads_between = 0;  ///< GB/s
  int nvls_channels = 0;
  int peer_channels = 2;  ///< of sends from one rank to another, before they are a power of two
  double issue = 0;       ///< s: of a host's thread for a kernel
};

/// The machine, or where none is known one of the defaults.
inline const Platform& machine_of(const Platform* known) {
  static const Platform unknown;
  return known != nullptr ? *known : unknown;
}

/// The ranks of a communicator, the hosts ("nodes") that they are on, and what is called.
struct KernelCall {
  int ranks = 2;
  int nodes = 1;
  Function function = Function::allreduce;
};

/// Messages of a rank, one after the other, around a ring.
constexpr int steps_of(KernelCall call) {
  switch (call.function) {
    case Function::allreduce:
      return 2 * (call.ranks - 1);
    case Function::allgather:
    case Function::reduce_scatter:
      return call.ranks - 1;
    default:
      return call.ranks;
  }
}

constexpr bool is_rooted(KernelCall call) {
  return call.function == Function::broadcast || call.function == Function::reduce;
}

/// GB/s of the whole vector per second, before the correction for trees of medium size.
/// Requires 1 <= nodes <= ranks, ranks >= 2; so do the others.
double bandwidth(Pattern algorithm, Protocol protocol, KernelCall call,
                 const Platform& machine = {});
/// GB/s that NCCL's tables grant GPUs of one of NVIDIA's generations on one host: with LL all that
/// a GPU passes on, with LL128 a channel of a ring, with Simple one of a tree.
double granted(Protocol protocol, Generation generation);
/// Share of their links' rate that they grant the heads of NVLS; 0: the generation has none.
double granted_to_heads(Generation generation);
/// us, before the correction for long messages.
double latency(Pattern algorithm, Protocol protocol, KernelCall call, const Platform& machine = {});
/// us.
double time(Pattern algorithm, Protocol protocol, KernelCall call, std::uint64_t bytes,
            const Platform& machine = {});

struct KernelChoice {
  Pattern algorithm = Pattern::ring;
  Protocol protocol = Protocol::simple;
  bool operator==(const KernelChoice&) const = default;
};
/// A part of the choice that a user forces; the rest NCCL chooses.
struct Forced {
  std::optional<Pattern> algorithm;
  std::optional<Protocol> protocol;
};
/// True of what NCCL weighs, or a user may force: trees for allreduces, PAT for allgather and
/// reduce-scatter, NVLS where there are heads for allreduces and, on one host and from 2.19 on, for
/// the other two where each rank is a head; NVLS and PAT with Simple alone.
bool is_known(KernelChoice choice, KernelCall call, const Platform& machine);
/// True of what NCCL weighs against each other: what is_known() but for LL128 over other links than
/// NVLink and near NICs, and for PAT on hosts with several GPUs, unless a user forces them.
bool is_weighed(KernelChoice choice, KernelCall call, const Platform& machine, Forced forced = {});
/// The algorithm and protocol with the least time. Requires that what is forced is_known() with
/// some protocol.
KernelChoice choose(KernelCall call, std::uint64_t bytes, const Platform& machine = {},
                    Forced forced = {});

/// All channels of a communicator.
int most_channels(KernelCall call, const Platform& machine);
/// Number of channels that share `bytes`: fewer of short vectors.
int channels(KernelChoice choice, KernelCall call, std::uint64_t bytes, const Platform& machine);

}  // namespace ringscope::nccl
