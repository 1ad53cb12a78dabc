// NCCL's estimate of a collective's time, by ring or, of an allreduce, by tree, with each of its
// protocols: LL sends a flag with every four bytes, LL128 one with every 120, Simple none but it
// has to synchronise.
//
// Source of every constant and formula: NCCL 2.18.3, 2.21.5, 2.22.3, 2.23.4, 2.29.2 and 2.30.7,
// src/graph/tuning.cc, ncclTopoTuneModel and ncclTopoGetAlgoTime; of the channels 2.30.7,
// src/enqueue.cc, topoGetAlgoInfo. Assumed are trees that are balanced, NICs without latency of
// their own, no CollNet, no NVLS, no PAT, the
// same channels inside and between hosts, no environment variables.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/verbs/block.hpp"

namespace ringscope::nccl {

enum class Algorithm : std::uint8_t { tree, ring };
enum class Function : std::uint8_t { allreduce, allgather, reduce_scatter, broadcast, reduce };
enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };

/// Rings, or trees, that NCCL's search finds; it then opens two channels for each.
struct Channels {
  int count = 1;
  double each = 0;  ///< GB/s
};

/// Machine as NCCL's search describes it. The defaults are what is assumed where nothing is known:
/// Ampere, 12 rings of 20 GB/s inside a host, one NIC of 100 Gbit/s.
struct Machine {
  Generation generation = Generation::ampere;
  int version = 221;   ///< of NCCL: 2.21
  bool nvlink = true;  ///< between the GPUs of a host; else PCIe
  bool amd = false;    ///< CPUs
  Channels inside = {12, 20.0}, between = {2, 6.0};
  int most = 0;           ///< channels of a communicator; 0: two for each ring
  int peer_channels = 2;  ///< of sends from one rank to another, before they are a power of two
};

/// The ranks of a communicator, the hosts ("nodes") that they are on, and what is called.
struct Call {
  int ranks = 2;
  int nodes = 1;
  Function function = Function::allreduce;
};

/// GB/s of the whole vector per second, before the correction for trees of medium size.
/// Requires 1 <= nodes <= ranks, ranks >= 2; so do the others.
double bandwidth(Algorithm algorithm, Protocol protocol, Call call, const Machine& machine = {});
/// us, before the correction for long messages.
double latency(Algorithm algorithm, Protocol protocol, Call call, const Machine& machine = {});
/// us.
double time(Algorithm algorithm, Protocol protocol, Call call, std::uint64_t bytes,
            const Machine& machine = {});

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
};
/// A part of the choice that a user forces; the rest NCCL chooses.
struct Forced {
  std::optional<Algorithm> algorithm;
  std::optional<Protocol> protocol;
};
/// The algorithm and protocol with the least time. LL128 is for NVLink alone.
Choice choose(Call call, std::uint64_t bytes, const Machine& machine = {}, Forced forced = {});

/// All channels of a communicator.
int most_channels(Call call, const Machine& machine);
/// Number of channels that share `bytes`: fewer of short vectors.
int channels(Choice choice, Call call, std::uint64_t bytes, const Machine& machine);

}  // namespace ringscope::nccl
