// SPDX-License-Identifier: LGPL-2.1-or-later
// Detours of the operating system: at random times it takes a core for a while, and whoever holds
// the core stands still, MPI's progress on it included.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "base/table.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

/// From one detour of a core to the next passes an exponentially distributed time, whatever runs
/// there; while the rank computes, its computation draws detours of its own (noise.hpp) and these
/// pass it by. A core on which nobody has anything left to do has no more of them, so that a
/// simulation ends, and one that is stuck is found to be.
class Detours {
 public:
  /// Detours of the cores of `ranks`; all outlive it.
  Detours(const Noise& noise, Run& run, std::span<const std::unique_ptr<RankThread>> ranks);

  /// A repetition begins: with every core at work, and other random numbers.
  void restart(std::uint64_t seed);
  /// True while the core of this rank is the operating system's.
  bool hold(int rank) const;
  /// Seconds that they have taken from the core of this rank, up to now.
  double taken(int rank) const;
  /// Something happens: those that had stopped for want of that go on.
  void stir();

 private:
  struct Core {
    int resource = -1;
    std::vector<RankThread*> ranks;
    std::mt19937_64 random;
    bool held = false;
    double began = 0;  ///< s: the last one
    double taken = 0;  ///< s: by those that have ended
  };

  bool in_vain();
  void await(std::size_t core);
  void begin(std::uint64_t core);
  void end(std::uint64_t core);

  const Noise* noise_;
  Run* run_;
  Table<Core> cores_;
  Table<std::ptrdiff_t> core_of_;    ///< by rank
  std::vector<std::size_t> asleep_;  ///< cores
  int vain_ = 0;                     ///< detours while nothing flowed and nothing happened
};

}  // namespace ringscope::sim
