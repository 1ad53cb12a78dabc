// SPDX-License-Identifier: LGPL-2.1-or-later
// From a chain of segments to the critical path as reports show it.
#pragma once

#include "base/table.hpp"
#include "scenarios/answer/path_chain.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

struct ChainOf {
  const Run& run;
  double start = 0;                  ///< of the repetition, s, as the kernel counts
  double elapsed = 0;                ///< s
  const Table<double>& used_before;  ///< of each resource, at its start

  PathChain chain(const PathCursor& end) const;

 private:
  std::vector<ChainSegment> segments(const Paths::Chain& chain) const;
  ResourceReport resource(int id) const;
};

}  // namespace ringscope::sim
