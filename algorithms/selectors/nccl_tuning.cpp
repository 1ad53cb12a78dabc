#include "algorithms/selectors/nccl_tuning.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace ringscope::nccl {
namespace {

/// Latencies by algorithm (tree, ring), then by protocol (LL, LL128, Simple); us.
using Latencies = std::array<std::array<double, 3>, 2>;
constexpr Latencies base = {{{6.8, 14.0, 0.0}, {6.6, 14.0, 8.4}}};
constexpr Latencies nvlink = {{{0.6, 1.25, 28.0}, {0.6, 1.9, 3.4}}};
constexpr Latencies network = {{{5.0, 8.5, 28.0}, {2.7, 4.0, 14.0}}};
constexpr double network_overhead = 1.0;  ///< us, of a step between hosts with Intel CPUs
constexpr double long_ring_factor = 1.4;  ///< of the latency of long messages, Ampere

// Bandwidths by the number of nodes: 1, 2, more; GB/s.
constexpr std::array<double, 3> most_ll = {87.7, 39.0, 20.4};  ///< Ampere; Intel, Intel
constexpr std::array<double, 3> most_tree = {24.0, 23.6, 17.8};
constexpr double most_ll128 = 20.0;  ///< per channel

/// Correction of the tree's bandwidth, by log2 of the vector in units of 64 B.
constexpr std::array<std::array<double, 23>, 3> tree_correction = {{
    {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7, .7, .7, .6, .5,
     .4,  .4,  .5,  .6,  .7, .8, .9, 1., 1., 1., 1.},
    {1.0, 1.0, 1.0, 1.0, 1., .9, .8, .8, .8, .7, .6, .6,
     .6,  .6,  .6,  .6,  .8, .9, .9, .9, .9, 1., 1.},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
}};

struct Channels {
  int count;
  double each;  ///< GB/s
};
constexpr Channels channels(Size size) {
  return size.nodes == 1 ? Channels{12, 20.0} : Channels{2, 6.0};
}

constexpr std::size_t index(Algorithm algorithm) { return static_cast<std::size_t>(algorithm); }
constexpr std::size_t index(Protocol protocol) { return static_cast<std::size_t>(protocol); }
constexpr int floor_log2(std::uint64_t n) {
  return n == 0 ? 0 : static_cast<int>(std::bit_width(n)) - 1;
}

double ring_bandwidth(Protocol protocol, Size size, Channels by, double ll) {
  const double all = by.count * by.each;
  const double ranks_per_node = static_cast<double>(size.ranks) / size.nodes;
  double bus = all;
  if (protocol == Protocol::ll) bus = std::min(ll, all / 4);
  if (protocol == Protocol::ll128)
    bus = std::min(all * (ranks_per_node < 2 ? 0.7 : 0.92), by.count * most_ll128);
  return bus * size.ranks / (2.0 * (size.ranks - 1));
}

double tree_bandwidth(Protocol protocol, Size size, Channels by, double ll, double most) {
  double bus = std::min(by.count * by.each * .92, by.count * most);
  if (protocol == Protocol::ll) bus = std::min(bus / 3.8, ll);
  if (protocol == Protocol::ll128)
    bus = std::min(bus * (size.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0), by.count * most_ll128);
  return bus / 2;
}

}  // namespace

double bandwidth(Algorithm algorithm, Protocol protocol, Size size) {
  const auto nodes = static_cast<std::size_t>(std::min(size.nodes, 3) - 1);
  const Channels by = channels(size);
  return algorithm == Algorithm::ring
             ? ring_bandwidth(protocol, size, by, most_ll[nodes])
             : tree_bandwidth(protocol, size, by, most_ll[nodes], most_tree[nodes]);
}

double latency(Algorithm algorithm, Protocol protocol, Size size) {
  const std::size_t a = index(algorithm), p = index(protocol);
  const double between = network[a][p];
  double inside = nvlink[a][p];
  if (algorithm == Algorithm::tree) {
    const int levels = floor_log2(static_cast<std::uint64_t>(size.nodes));
    return base[a][p] + 2 * ((size.ranks / size.nodes - 1) * inside + levels * between);
  }
  const int steps = 2 * (size.ranks - 1), steps_between = size.nodes > 1 ? 2 * size.nodes : 0;
  if (size.nodes > 1)
    inside = std::max(inside, network_overhead * (protocol == Protocol::simple ? 3 : 1));
  return base[a][p] + (steps - steps_between) * inside + steps_between * between;
}

double time(Algorithm algorithm, Protocol protocol, Size size, std::uint64_t bytes) {
  double rate = bandwidth(algorithm, protocol, size), late = latency(algorithm, protocol, size);
  const auto scale = static_cast<std::size_t>(floor_log2(bytes / 64));
  if (algorithm == Algorithm::tree && scale < tree_correction[0].size())
    rate *= tree_correction[index(protocol)][scale];
  const auto pieces =
      static_cast<std::uint64_t>(channels(size).count) * static_cast<std::uint64_t>(size.ranks);
  if (algorithm == Algorithm::ring && protocol == Protocol::simple && size.nodes > 1 &&
      bytes / pieces >= 64)
    late *= long_ring_factor;
  return late + static_cast<double>(bytes) / (1000 * rate);
}

Choice choose(Size size, std::uint64_t bytes) {
  Choice best;
  double least = -1;
  for (const Algorithm algorithm : {Algorithm::tree, Algorithm::ring})
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
      const double takes = time(algorithm, protocol, size, bytes);
      if (least >= 0 && takes >= least) continue;
      least = takes;
      best = {algorithm, protocol};
    }
  return best;
}

}  // namespace ringscope::nccl
