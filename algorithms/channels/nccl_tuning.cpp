#include "algorithms/channels/nccl_tuning.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace ringscope::nccl {
namespace {

/// Latencies by algorithm (tree, ring), then by protocol (LL, LL128, Simple); us.
using Latencies = std::array<std::array<double, 3>, 2>;
constexpr Latencies base = {{{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}}};
constexpr Latencies nvlink = {{{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}}};
constexpr Latencies pcie = {{{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}}};
constexpr Latencies network = {{{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}}};
/// Latency of trees with Simple, from 2.19 on up to 2.22, when they had no base.
constexpr double old_tree = 28.0;

// Bandwidths by the number of nodes: 1, 2, more; GB/s.
using ByNodes = std::array<double, 3>;
/// By generation on one node; on several by the CPU: Intel, AMD.
constexpr std::array<ByNodes, 4> most_ll = {
    {{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282.0, 90.0, 70.0}}};
// Per channel, by generation.
constexpr std::array<ByNodes, 4> most_tree = {
    {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}};
constexpr std::array<ByNodes, 4> most_ring_ll128 = {
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {40.0, 40.0, 40.0}}};
constexpr std::array<ByNodes, 4> most_tree_ll128 = {
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}}};

/// Correction of the tree's bandwidth, by log2 of the vector in units of 64 B.
constexpr std::array<std::array<double, 23>, 3> tree_correction = {{
    {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7, .7, .7, .6, .5,
     .4,  .4,  .5,  .6,  .7, .8, .9, 1., 1., 1., 1.},
    {1.0, 1.0, 1.0, 1.0, 1., .9, .8, .8, .8, .7, .6, .6,
     .6,  .6,  .6,  .6,  .8, .9, .9, .9, .9, 1., 1.},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
}};

constexpr std::array<int, 3> threads = {512, 640, 512};    ///< of a block, by protocol
constexpr std::array<int, 3> bytes_a_thread = {8, 8, 64};  ///< below which there are too many
constexpr int most_threads_of_slow_rings = 256;
constexpr double slow_ring = 12;  ///< GB/s in all

/// Messages of a rank, one after the other, around a ring.
int steps_of(Call call) {
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

bool is_rooted(Call call) {
  return call.function == Function::broadcast || call.function == Function::reduce;
}

Channels channels(Call call, const Machine& machine) {
  return call.nodes == 1 ? machine.inside : machine.between;
}

template <class Index>
constexpr std::size_t index(Index i) {
  return static_cast<std::size_t>(i);
}
constexpr int floor_log2(std::uint64_t n) {
  return n == 0 ? 0 : static_cast<int>(std::bit_width(n)) - 1;
}

double of(const std::array<ByNodes, 4>& table, Call call, const Machine& machine) {
  return table[index(machine.generation)][index(std::min(call.nodes, 3) - 1)];
}

double most_with_ll(Call call, const Machine& machine) {
  if (call.nodes > 1) return most_ll[machine.amd ? 1 : 0][index(std::min(call.nodes, 3) - 1)];
  const bool before = machine.version < 221 && machine.generation == Generation::hopper;
  return before ? most_ll[index(Generation::ampere)][0] : of(most_ll, call, machine);
}

double ring_bandwidth(Protocol protocol, Call call, const Machine& machine) {
  const Channels by = channels(call, machine);
  const double all = by.count * by.each;
  const bool alone = call.ranks < 2 * call.nodes && machine.version < 223;
  double bus = all;
  if (protocol == Protocol::ll)
    bus = std::min(most_with_ll(call, machine), all * (machine.version < 221 ? .25 : .5));
  if (protocol == Protocol::ll128)
    bus = std::min(all * (alone ? 0.7 : 0.92), by.count * of(most_ring_ll128, call, machine));
  return bus * call.ranks / steps_of(call);
}

double tree_bandwidth(Protocol protocol, Call call, const Machine& machine) {
  const Channels by = channels(call, machine);
  double bus = std::min(by.count * by.each * .92, by.count * of(most_tree, call, machine));
  if (protocol == Protocol::ll) bus = std::min(bus / 3.8, most_with_ll(call, machine));
  if (protocol == Protocol::ll128)
    bus = std::min(bus * (call.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                   by.count * of(most_tree_ll128, call, machine));
  return bus / 2;
}

double tree_latency(Protocol protocol, Call call, const Machine& machine) {
  const std::size_t t = index(Algorithm::tree), p = index(protocol);
  const bool old = machine.version < 223 && protocol == Protocol::simple;
  const bool dear = old && machine.version >= 219;
  const double inside = dear ? old_tree : (machine.nvlink ? nvlink : pcie)[t][p];
  const double between = dear ? old_tree : network[t][p];
  const int levels = floor_log2(static_cast<std::uint64_t>(call.nodes));
  return (old ? 0 : base[t][p]) + 2 * ((call.ranks / call.nodes - 1) * inside + levels * between);
}

// A rank alone on its host shows all of the network's latency, which is that of trees.
double ring_latency(Protocol protocol, Call call, const Machine& machine) {
  const std::size_t r = index(Algorithm::ring), p = index(protocol);
  const bool old = machine.version < 223;
  const bool alone = call.ranks == call.nodes && !old;
  const double between = network[alone ? index(Algorithm::tree) : r][p];
  const double overhead = machine.amd ? 2.0 : 1.0;
  double inside = (machine.nvlink ? nvlink : pcie)[r][p];
  if (is_rooted(call)) return base[r][p] + (call.nodes == 1 ? inside : network[r][p]);
  const int passes = call.function == Function::allreduce ? 2 : 1;
  const int steps = steps_of(call);
  const int steps_between = call.nodes == 1 ? 0 : passes * (old ? call.nodes : call.nodes - 1);
  if (call.nodes > 1) inside = std::max(inside, overhead * (protocol == Protocol::simple ? 3 : 1));
  return base[r][p] + (steps - steps_between) * inside + steps_between * between;
}

}  // namespace

double bandwidth(Algorithm algorithm, Protocol protocol, Call call, const Machine& machine) {
  return algorithm == Algorithm::ring ? ring_bandwidth(protocol, call, machine)
                                      : tree_bandwidth(protocol, call, machine);
}

double latency(Algorithm algorithm, Protocol protocol, Call call, const Machine& machine) {
  return algorithm == Algorithm::ring ? ring_latency(protocol, call, machine)
                                      : tree_latency(protocol, call, machine);
}

double time(Algorithm algorithm, Protocol protocol, Call call, std::uint64_t bytes,
            const Machine& machine) {
  double rate = bandwidth(algorithm, protocol, call, machine);
  double late = latency(algorithm, protocol, call, machine);
  const auto scale = static_cast<std::size_t>(floor_log2(bytes / 64));
  if (algorithm == Algorithm::tree && scale < tree_correction[0].size())
    rate *= tree_correction[index(protocol)][scale];
  const auto pieces = static_cast<std::uint64_t>(channels(call, machine).count) *
                      static_cast<std::uint64_t>(call.ranks);
  if (algorithm == Algorithm::ring && protocol == Protocol::simple && call.nodes > 1 &&
      call.function == Function::allreduce && bytes / pieces >= 64)
    late *= machine.generation == Generation::volta ? 1.9 : 1.4;
  return late + static_cast<double>(bytes) / (1000 * rate);
}

Choice choose(Call call, std::uint64_t bytes, const Machine& machine, Forced forced) {
  Choice best;
  double least = -1;
  for (const Algorithm algorithm : {Algorithm::tree, Algorithm::ring}) {
    if (algorithm == Algorithm::tree && call.function != Function::allreduce) continue;
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
      if (forced.algorithm && *forced.algorithm != algorithm) continue;
      if (forced.protocol ? *forced.protocol != protocol
                          : protocol == Protocol::ll128 && !machine.nvlink)
        continue;
      const double takes = time(algorithm, protocol, call, bytes, machine);
      if (least >= 0 && takes >= least) continue;
      least = takes;
      best = {algorithm, protocol};
    }
  }
  return best;
}

int most_channels(Call call, const Machine& machine) {
  return machine.most > 0 ? machine.most : 2 * channels(call, machine).count;
}

int channels(Choice choice, Call call, std::uint64_t bytes, const Machine& machine) {
  const Channels by = channels(call, machine);
  std::uint64_t block = static_cast<std::uint64_t>(threads[index(choice.protocol)]);
  const bool ring = choice.algorithm == Algorithm::ring;
  if (ring && choice.protocol == Protocol::simple && by.count * by.each <= slow_ring)
    block = most_threads_of_slow_rings;
  block *= static_cast<std::uint64_t>(bytes_a_thread[index(choice.protocol)]);
  if (ring && choice.protocol == Protocol::ll) block *= static_cast<std::uint64_t>(call.ranks);
  const auto enough = static_cast<int>(std::min<std::uint64_t>(bytes / block, 1024));
  return std::clamp(enough, 1, most_channels(call, machine));
}

}  // namespace ringscope::nccl
