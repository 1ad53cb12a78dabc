// SPDX-License-Identifier: LGPL-2.1-or-later
// Every collective, with what is true of it whichever algorithm does it.
//
// Each rank's vector has S items and is cut into P chunks, one per rank. What a collective does not
// promise about a rank's vector it may overwrite.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "algorithms/catalogue.hpp"
#include "base/table.hpp"

namespace ringscope {

/// Part of the vectors that counts before a collective, or is promised after it.
enum class Held : std::uint8_t {
  nothing,  ///< no data
  unsaid,   ///< each algorithm says it for itself
  root,     ///< the root's whole vector
  chunks,   ///< of each rank, its own chunk
  all,      ///< every rank's whole vector
  pieces    ///< in scratch space of each rank, one from every rank (steps/ring_steps.hpp)
};

struct Collective {
  std::string_view name;
  Held before = Held::unsaid;
  Held after = Held::unsaid;
  bool sums = false;  ///< what is promised is the sum over all ranks
  /// How often all chunks but one have to pass the port of a rank, however well the ranks share the
  /// work; 0: no sharing helps, the whole vector has to.
  int passes = 0;
  std::string_view nccl;     ///< the algorithm that stands for NCCL's choice; "" where it has none
  std::string_view summary;  ///< one line for `ringscope list`
};

/// By Held.
inline constexpr Array<std::string_view, 6> held_names = {"nothing", "unsaid", "root",
                                                          "chunks",  "all",    "pieces"};

/// In the order of collectives.def.
std::span<const Collective> collectives();

/// nullptr when there is none of that name.
const Collective* find_collective(std::string_view name);

const Collective& collective_of(const Algorithm& algorithm);

/// Any of its ranks may be it.
constexpr bool has_root(const Collective& one) {
  return one.before == Held::root || one.after == Held::root;
}

/// Whether all it is about are the chunks of one vector, which ranks hold or do not.
constexpr bool is_of_one_vector(const Collective& one) {
  const auto in_place = [](Held held) {
    return held == Held::root || held == Held::chunks || held == Held::all;
  };
  return in_place(one.before) && in_place(one.after);
}

/// Factor that makes S / t comparable with the bandwidth of a port: passes * (P-1)/P, or 1.
/// Source: nccl-tests, doc/PERFORMANCE.md and, for gather and scatter, src/gather.cu and
/// src/scatter.cu.
double bus_factor(const Collective& one, int ranks);

/// Whether it is the same whichever rank of the ring comes first.
bool turns(const Algorithm& algorithm);

}  // namespace ringscope
