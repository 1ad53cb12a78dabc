// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/choice/tuning.hpp"

#include <algorithm>
#include <bit>

#include "nccl/choice/rccl.hpp"
#include "nccl/choice/tuning_tables.hpp"

namespace ringscope::nccl {
namespace {

using namespace tables;

/// PAT uses the trees that were found.
const Graph& graph_of(Pattern algorithm, const Platform& machine) {
  return algorithm == Pattern::ring ? machine.rings : machine.trees;
}

Channels channels(Pattern algorithm, KernelCall call, const Platform& machine) {
  const Graph& graph = graph_of(algorithm, machine);
  if (call.nodes == 1) return graph.inside;
  const bool counts_pairs = algorithm != Pattern::pat || machine.version < 231;
  return call.nodes == 2 && counts_pairs ? graph.pair : graph.between;
}

template <class Index>
constexpr std::size_t index(Index i) {
  return static_cast<std::size_t>(i);
}
constexpr int floor_log2(std::uint64_t n) { return static_cast<int>(std::bit_width(n | 1)) - 1; }

bool is_before_218(const Platform& machine) { return machine.version < 218; }

const Latencies& base_of(const Platform& machine) {
  return is_before_218(machine) ? old_base : base;
}
const Latencies& network_of(const Platform& machine) {
  return is_before_218(machine) ? old_network : network;
}
/// Latency of a hop inside a host.
double inside_of(Pattern algorithm, Protocol protocol, KernelCall call, const Platform& machine) {
  const bool old = is_before_218(machine);
  const bool near = graph_of(algorithm, machine).direct;
  const Latencies& all = near ? old ? old_nvlink : nvlink : old ? old_pcie : pcie;
  const bool waits = old && call.nodes > 1 && protocol == Protocol::ll;
  return all[index(algorithm)][index(protocol)] * (waits ? old_ll_between_hosts : 1);
}

/// Latency between hosts: of a NIC as often as Simple needs it, which waits for a flush too.
double between_of(Pattern algorithm, Protocol protocol, const Platform& machine) {
  return network_of(machine)[index(algorithm)][index(protocol)] +
         machine.nic_latency * (protocol == Protocol::simple ? 2 : 1);
}

/// Rate of all rings or trees together.
double rate_of(Pattern algorithm, KernelCall call, const Platform& machine) {
  const Channels by = channels(algorithm, call, machine);
  const double all = by.count * by.each;
  const bool limited = is_before_218(machine) && machine.generation == Generation::ampere;
  return limited ? std::min(all, old_ampere) : all;
}

/// Entry of a table of today. Blackwell has its own from `own` on, twice Hopper's before, and up to
/// 2.24 Hopper's.
double of(const std::array<ByNodes, 4>& table, KernelCall call, const Platform& machine,
          int own = 228) {
  const bool as_hopper = machine.generation == Generation::blackwell && machine.version < own;
  const std::size_t row = index(as_hopper ? Generation::hopper : machine.generation);
  return table[row][index(std::min(call.nodes, 3) - 1)] *
         (as_hopper && machine.version >= 225 ? 2 : 1);
}

double most_with_ll(KernelCall call, const Platform& machine) {
  if (call.nodes > 1) return most_ll[machine.amd ? 1 : 0][index(std::min(call.nodes, 3) - 1)];
  const bool before = machine.version < 221 && machine.generation == Generation::hopper;
  return before ? most_ll[index(Generation::ampere)][0] : of(most_ll, call, machine);
}

double ring_bandwidth(Protocol protocol, KernelCall call, const Platform& machine) {
  const Channels by = channels(Pattern::ring, call, machine);
  const double all = rate_of(Pattern::ring, call, machine);
  const bool alone = call.ranks < 2 * call.nodes && machine.version < 223;
  double bus = all;
  if (protocol == Protocol::ll)
    bus = std::min(most_with_ll(call, machine), all * (machine.version < 221 ? .25 : .5));
  if (protocol == Protocol::ll128)
    bus = std::min(all * (alone ? 0.7 : 0.92), by.count * of(most_ring_ll128, call, machine, 229));
  return bus * call.ranks / steps_of(call);
}

double tree_bandwidth(Protocol protocol, KernelCall call, const Platform& machine) {
  const Channels by = channels(Pattern::tree, call, machine);
  double bus = std::min(rate_of(Pattern::tree, call, machine) * .92,
                        by.count * of(most_tree, call, machine));
  if (protocol == Protocol::ll) bus = std::min(bus / 3.8, most_with_ll(call, machine));
  if (protocol == Protocol::ll128)
    bus = std::min(bus * (call.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                   by.count * of(most_tree_ll128, call, machine));
  return bus / 2 * (machine.trees.chains && !is_before_218(machine) ? .85 : 1);
}

double tree_latency(Protocol protocol, KernelCall call, const Platform& machine) {
  const bool old = machine.version < 223 && protocol == Protocol::simple;
  const bool dear = old && machine.version >= 219;
  const double inside = dear ? old_tree : inside_of(Pattern::tree, protocol, call, machine);
  const double between =
      dear ? old_tree + 2 * machine.nic_latency : between_of(Pattern::tree, protocol, machine);
  const int levels = floor_log2(static_cast<std::uint64_t>(call.nodes));
  return (old ? 0 : base_of(machine)[index(Pattern::tree)][index(protocol)]) +
         2 * ((call.ranks / call.nodes - 1) * inside + levels * between);
}

bool has_chunks(KernelCall call) {
  return call.function == Function::allgather || call.function == Function::reduce_scatter;
}

/// The same of chunks, on one host: each GPU is the head of its own.
double nvls_bandwidth_of_chunks(KernelCall call, const Platform& machine) {
  const double heads = machine.heads.count, others = (call.ranks - 1.0) / call.ranks,
               inside = machine.heads.each, between = machine.heads_between;
  if (machine.version < 227)
    return heads * std::min(inside, between) / (machine.version < 223 ? 1.2 : 1);
  if (machine.version < 228) return heads * std::min(inside * others, between * .9);
  const double share = nvls_share[index(machine.generation)];
  return std::min((heads - 1) * inside * share * others, heads * between);
}

double nvls_bandwidth(KernelCall call, const Platform& machine) {
  if (has_chunks(call)) return nvls_bandwidth_of_chunks(call, machine);
  const int heads = machine.heads.count;
  const double inside = machine.heads.each, between = machine.heads_between;
  if (machine.version < 228) {
    constexpr double useful = 5.0 / 6, useful_of_old_trees = .7;
    if (machine.version < 219)
      return heads * (call.nodes <= 2 ? inside : between) *
             (call.nodes == 1 ? useful : useful_of_old_trees * call.nodes / (2 * (call.nodes - 1)));
    return heads * std::min(inside, call.nodes <= 2 ? between : between / 2) * useful;
  }
  double each = inside * nvls_share[index(machine.generation)] * (heads - 1) / heads * 2;
  each = std::min(each, between * (call.nodes == 2 ? 2 : 1));
  const bool first = machine.version < 229 && machine.generation == Generation::blackwell;
  if (call.nodes > 1)
    each = std::min(each, first && call.nodes > 2 ? 43.1 : of(most_nvls_tree, call, machine));
  return heads * each * call.ranks / steps_of(call);
}

double nvls_latency(KernelCall call, const Platform& machine) {
  const double inside = machine.version < 221 ? 23.0 : 25.0;
  if (call.nodes == 1) return inside;
  if (machine.version < 219) return inside + 2 * (call.nodes - 1) * 19.0;
  const double between = (machine.version < 229 ? 14.0 : 20.9) + 2 * machine.nic_latency;
  return inside + 2 * floor_log2(static_cast<std::uint64_t>(call.nodes)) * between;
}

double pat_bandwidth(KernelCall call, const Platform& machine) {
  const auto [count, each] = channels(Pattern::pat, call, machine);
  return count * each * (machine.version < 224 ? .85 : .75);
}

double pat_latency(KernelCall call, const Platform& machine) {
  constexpr double start = 8, of_a_rank = 2.8;
  const double level = (14.0 + machine.nic_latency * (machine.version < 231 ? 2 : 1)) / 3.5;
  return start + floor_log2(static_cast<std::uint64_t>(call.nodes)) * level +
         call.ranks * of_a_rank;
}

// A rank alone on its host shows all of the network's latency, which is that of trees.
double ring_latency(Protocol protocol, KernelCall call, const Platform& machine) {
  const std::size_t r = index(Pattern::ring), p = index(protocol);
  const bool old = machine.version < 223;
  const bool alone = call.ranks == call.nodes && !old;
  const double between = between_of(alone ? Pattern::tree : Pattern::ring, protocol, machine);
  const double overhead = is_before_218(machine) ? 0 : machine.amd ? 2.0 : 1.0;
  const double start = base_of(machine)[r][p];
  double inside = inside_of(Pattern::ring, protocol, call, machine);
  const int steps = steps_of(call);
  if (is_rooted(call)) {
    const bool cuts = protocol == Protocol::simple && !machine.rings.same;
    const Pattern by = cuts ? Pattern::tree : Pattern::ring;
    const double hop = call.nodes == 1 ? inside_of(by, protocol, call, machine)
                                       : network_of(machine)[index(by)][p];
    return start + hop * (machine.rings.same ? 1 : steps);
  }
  const int passes = call.function == Function::allreduce ? 2 : 1;
  const int steps_between = call.nodes == 1 ? 0 : passes * (old ? call.nodes : call.nodes - 1);
  if (call.nodes > 1) inside = std::max(inside, overhead * (protocol == Protocol::simple ? 3 : 1));
  return start + (steps - steps_between) * inside + steps_between * between;
}

/// Rings with Simple take longer than their latency once all channels have data.
bool has_plateau(KernelCall call, const Platform& machine) {
  if (call.nodes > 1) return call.function == Function::allreduce;
  return has_chunks(call) && machine.version >= 231 && machine.rings.direct &&
         machine.generation == Generation::blackwell;
}

}  // namespace

double bandwidth(Pattern algorithm, Protocol protocol, KernelCall call, const Platform& machine) {
  if (is_rccl(machine)) return rccl_bandwidth({algorithm, protocol}, call, machine);
  if (algorithm == Pattern::tree) return tree_bandwidth(protocol, call, machine);
  if (algorithm == Pattern::ring) return ring_bandwidth(protocol, call, machine);
  return algorithm == Pattern::nvls ? nvls_bandwidth(call, machine) : pat_bandwidth(call, machine);
}

double granted(Protocol protocol, Generation generation) {
  const auto& table = protocol == Protocol::ll      ? most_ll
                      : protocol == Protocol::ll128 ? most_ring_ll128
                                                    : most_tree;
  return table[index(generation)][0];
}
double granted_to_heads(Generation generation) { return nvls_share[index(generation)]; }

double latency(Pattern algorithm, Protocol protocol, KernelCall call, const Platform& machine) {
  if (is_rccl(machine)) return rccl_latency({algorithm, protocol}, call);
  if (algorithm == Pattern::tree) return tree_latency(protocol, call, machine);
  if (algorithm == Pattern::ring) return ring_latency(protocol, call, machine);
  return algorithm == Pattern::nvls ? nvls_latency(call, machine) : pat_latency(call, machine);
}

double time(Pattern algorithm, Protocol protocol, KernelCall call, std::uint64_t bytes,
            const Platform& machine) {
  if (is_rccl(machine)) return rccl_time({algorithm, protocol}, call, bytes, machine);
  double rate = bandwidth(algorithm, protocol, call, machine);
  double late = latency(algorithm, protocol, call, machine);
  const auto scale = static_cast<std::size_t>(floor_log2(bytes / 64));
  const bool tree = algorithm == Pattern::tree ||
                    (algorithm == Pattern::nvls && call.nodes > 1 && machine.version >= 228 &&
                     machine.generation == Generation::blackwell);
  if (tree && scale < tree_correction[0].size()) rate *= tree_correction[index(protocol)][scale];
  const auto pieces = static_cast<std::uint64_t>(most_channels(call, machine) * call.ranks);
  if (algorithm == Pattern::ring && protocol == Protocol::simple && has_plateau(call, machine) &&
      bytes / pieces >= 64)
    late *= machine.generation == Generation::volta || is_before_218(machine) ? 1.9 : 1.4;
  return late + static_cast<double>(bytes) / (1000 * rate);
}

bool is_known(KernelChoice choice, KernelCall call, const Platform& machine) {
  if (is_rccl(machine)) return rccl_has(choice, call, machine);
  const bool simple = choice.protocol == Protocol::simple;
  if (choice.algorithm == Pattern::tree) return call.function == Function::allreduce;
  if (choice.algorithm == Pattern::ring) return true;
  if (choice.algorithm == Pattern::pat) return simple && has_chunks(call);
  if (!simple || machine.nvls_channels == 0 || is_rooted(call)) return false;
  return !has_chunks(call) ||
         (call.nodes == 1 && call.ranks <= machine.heads.count && machine.version >= 219);
}

bool is_weighed(KernelChoice choice, KernelCall call, const Platform& machine, Forced forced) {
  const auto [algorithm, protocol] = choice;
  const bool takes_pat = machine.version >= 223 && call.nodes == call.ranks;
  const bool takes_ll128 = graph_of(algorithm, machine).ll128;
  return is_known(choice, call, machine) &&
         (forced.algorithm ? *forced.algorithm == algorithm
                           : algorithm != Pattern::pat || takes_pat) &&
         (forced.protocol ? *forced.protocol == protocol
                          : protocol != Protocol::ll128 || takes_ll128);
}

KernelChoice choose(KernelCall call, std::uint64_t bytes, const Platform& machine, Forced forced) {
  KernelChoice best;
  double least = -1;
  for (const Pattern algorithm : {Pattern::tree, Pattern::ring, Pattern::nvls, Pattern::pat})
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
      if (!is_weighed({algorithm, protocol}, call, machine, forced)) continue;
      const double takes = time(algorithm, protocol, call, bytes, machine);
      if (least >= 0 && takes >= least) continue;
      least = takes;
      best = {algorithm, protocol};
    }
  if (is_rccl(machine) && !forced.protocol)
    best.protocol = rccl_protocol(best, call, bytes, machine);
  return best;
}

int most_channels(KernelCall call, const Platform& machine) {
  return machine.most > 0 ? machine.most : 2 * channels(Pattern::ring, call, machine).count;
}

int channels(KernelChoice choice, KernelCall call, std::uint64_t bytes, const Platform& machine) {
  if (choice.algorithm == Pattern::nvls) return machine.nvls_channels;
  const Channels by = channels(Pattern::ring, call, machine);
  std::uint64_t block = static_cast<std::uint64_t>(threads[index(choice.protocol)]);
  const bool ring = choice.algorithm == Pattern::ring;
  if (ring && choice.protocol == Protocol::simple && machine.version < 231 &&
      by.count * by.each <= slow_ring)
    block = most_threads_of_slow_rings;
  if (is_rccl(machine)) block = rccl_threads;
  block *= static_cast<std::uint64_t>(bytes_a_thread[index(choice.protocol)]);
  if (ring && choice.protocol == Protocol::ll) block *= static_cast<std::uint64_t>(call.ranks);
  const auto enough = static_cast<int>(std::min<std::uint64_t>(bytes / block, 1024));
  return std::clamp(enough, 1, most_channels(call, machine));
}

}  // namespace ringscope::nccl
