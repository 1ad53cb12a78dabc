// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/choice/rccl.hpp"

#include <algorithm>
#include <bit>

namespace ringscope::nccl {
namespace {

/// By protocol (LL, LL128, Simple).
using RcclRow = Array<double, 3>;
/// Tree, ring.
using RcclTable = Array<RcclRow, 2>;
constexpr RcclRow rccl_base = {12.0, 12.0, 17.0};  ///< us
constexpr RcclTable rccl_xgmi = {RcclRow{0.9, 0.9, 2.3}, RcclRow{0.8, 0.8, 2.1}};
constexpr RcclTable rccl_network = {RcclRow{10.5, 10.5, 25.0}, RcclRow{9.5, 9.5, 320.0}};
constexpr double amd_post = 2.0;  ///< us of an AMD CPU for a message to a NIC
/// Shares of the rate of all rings: up to two hosts, more.
constexpr RcclTable rccl_share = {RcclRow{0.06, 0.06, 0.11}, RcclRow{0.08, 0.08, 1.00}},
                    rccl_share_of_many = {RcclRow{0.06, 0.06, 0.59}, RcclRow{0.08, 0.08, 1.00}};
constexpr double rooted_ll = 1.65;  ///< on one host

/// Corrections by log2 of the vector in units of 64 B; the last one for all larger ones.
using RcclCorrection = Array<double, 27>;
constexpr RcclCorrection tree_flags = {.1, .1, .1, .1, .1, .1, 1., 1., 1., 1., 1., .6, 1., .9,
                                       1., 1., .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1};
constexpr RcclCorrection tree_simple = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1,
                                        .1, .7, 1., 1., 1., 1., 1., .7, .7, .5, .6, .6, .6};
constexpr RcclCorrection ring_flags = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 1., .2, 1.,
                                       .4, .4, .1, .2, .2, .1, .1, .1, .1, .1, .1, .1, .1};
constexpr RcclCorrection ring_simple = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1,
                                        .1, .1, .1, .1, .1, .1, .1, .1, 1., .8, 1., 1., 1.};

/// Bytes of a rank's chunk, or of an allreduce's vector, between hosts: up to the first LL, above
/// the second and up to the third LL128. By Function: allreduce, allgather, reduce_scatter.
constexpr Array<RcclRow, 3> rccl_sizes = {RcclRow{1'048'576, 1'048'576, 9'437'184},
                                          RcclRow{98'304, 98'304, 5'046'272},
                                          RcclRow{655'360, 131'072, 3'211'264}};
constexpr double most_of_many_hosts = 3.8;  ///< times that of LL128 in allreduces, above two hosts
constexpr double most_ll_of_chunks = 352'128;  ///< B: of a reduce-scatter on one host
/// LL128 came to gfx942 with the sources above, and only to models of hosts with NICs.
constexpr int first_with_ll128 = 226;

double entry_of(const RcclTable& table, KernelChoice choice) {
  return table[choice.algorithm][choice.protocol];
}

}  // namespace

double rccl_bandwidth(KernelChoice choice, KernelCall call, const Platform& machine) {
  const Channels by = call.nodes == 1   ? machine.rings.inside
                      : call.nodes == 2 ? machine.rings.pair
                                        : machine.rings.between;
  double bus =
      by.count * by.each * entry_of(call.nodes <= 2 ? rccl_share : rccl_share_of_many, choice);
  if (is_rooted(call) && call.nodes == 1 && choice.protocol == Protocol::ll) bus *= rooted_ll;
  return choice.algorithm == Pattern::tree ? bus / 2 : bus * call.ranks / steps_of(call);
}

double rccl_latency(KernelChoice choice, KernelCall call) {
  const double start = rccl_base[choice.protocol];
  double inside = entry_of(rccl_xgmi, choice);
  const bool alone = call.ranks == call.nodes;
  const double between =
      entry_of(rccl_network, {alone ? Pattern::tree : choice.algorithm, choice.protocol});
  if (choice.algorithm == Pattern::tree)
    return start + 2 * ((call.ranks / call.nodes - 1) * inside +
                        (std::bit_width(static_cast<unsigned>(call.nodes)) - 1) * between);
  if (is_rooted(call)) return start + (call.nodes == 1 ? inside : entry_of(rccl_network, choice));
  if (call.nodes > 1)
    inside = std::max(inside, amd_post * (choice.protocol == Protocol::simple ? 3 : 1));
  const int passes = call.function == Function::allreduce ? 2 : 1;
  const int steps_between = passes * (call.nodes - 1);
  return start + (steps_of(call) - steps_between) * inside + steps_between * between;
}

double rccl_time(KernelChoice choice, KernelCall call, std::uint64_t bytes,
                 const Platform& machine) {
  const bool simple = choice.protocol == Protocol::simple;
  const RcclCorrection& correction = choice.algorithm == Pattern::tree
                                         ? (simple ? tree_simple : tree_flags)
                                         : (simple ? ring_simple : ring_flags);
  const int scale = std::min(26, static_cast<int>(std::bit_width((bytes / 64) | 1)) - 1);
  double rate = rccl_bandwidth(choice, call, machine);
  if (choice.algorithm == Pattern::tree || call.nodes > 1) rate *= correction[scale];
  return rccl_latency(choice, call) + static_cast<double>(bytes) / (1000 * rate);
}

bool rccl_has(KernelChoice choice, KernelCall call, const Platform& machine) {
  if (choice.protocol == Protocol::ll128 && (call.nodes == 1 || machine.version < first_with_ll128))
    return false;
  if (choice.algorithm == Pattern::ring) return true;
  return choice.algorithm == Pattern::tree && call.function == Function::allreduce &&
         (call.nodes > 1 || choice.protocol != Protocol::simple);
}

Protocol rccl_protocol(KernelChoice choice, KernelCall call, std::uint64_t bytes,
                       const Platform& machine) {
  if (is_rooted(call)) return choice.protocol;
  const bool whole = call.function == Function::allreduce;
  const double size = static_cast<double>(bytes) / (whole ? 1 : call.ranks);
  if (call.nodes == 1)
    return call.function == Function::reduce_scatter && size <= most_ll_of_chunks ? Protocol::ll
                                                                                  : choice.protocol;
  const RcclRow& sizes = rccl_sizes[call.function];
  const double factor = whole && call.nodes > 2 ? most_of_many_hosts : 1;
  if (size > sizes[1] && size <= sizes[2] * factor &&
      rccl_has({choice.algorithm, Protocol::ll128}, call, machine))
    return Protocol::ll128;
  return size <= sizes[0] ? Protocol::ll : Protocol::simple;
}

}  // namespace ringscope::nccl
