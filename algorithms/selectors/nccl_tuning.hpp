// NCCL's estimate of an allreduce's time, by ring or by tree, with each of its protocols: LL sends
// a flag with every four bytes, LL128 one with every 120, Simple none but it has to synchronise.
//
// Source of every constant and formula: NCCL 2.21, src/graph/tuning.cc, ncclTopoTuneModel and
// ncclTopoGetAlgoTime. It goes by the machine, which an algorithm here does not see. Assumed are:
// - hosts with Ampere GPUs and Intel CPUs; NVLink between the GPUs of a host: 12 channels of
//   20 GB/s;
// - one NIC of 100 Gbit/s per host, near a GPU: 2 channels of 6 GB/s, without latency of its own;
// - trees that are balanced, no CollNet, no NVLS, no environment variables.
#pragma once

#include <cstdint>

namespace ringscope::nccl {

enum class Algorithm : std::uint8_t { tree, ring };
enum class Protocol : std::uint8_t { ll, ll128, simple };

/// The ranks of a communicator and the hosts ("nodes") that they are on.
struct Size {
  int ranks = 2;
  int nodes = 1;
};

/// GB/s of vector per second, before the correction for trees of medium size.
/// Requires 1 <= nodes <= ranks, ranks >= 2; so do the others.
double bandwidth(Algorithm algorithm, Protocol protocol, Size size);
/// us, before the correction for long messages.
double latency(Algorithm algorithm, Protocol protocol, Size size);
/// us.
double time(Algorithm algorithm, Protocol protocol, Size size, std::uint64_t bytes);

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
};
/// The algorithm and protocol with the least time.
Choice choose(Size size, std::uint64_t bytes);

}  // namespace ringscope::nccl
