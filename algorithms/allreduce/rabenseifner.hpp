// SPDX-License-Identifier: LGPL-2.1-or-later
// Rabenseifner's allreduce, by how ranks beyond a power of two hand in their vectors.
#pragma once

#include "algorithms/steps/fold.hpp"

namespace ringscope {

Task rabenseifner_allreduce(Communicator comm, Range data, Range scratch, Folding how);

Cost rabenseifner_cost(int ranks, std::size_t items, Folding how);

/// Folding whole vectors takes one, all else the larger half of the chunks.
std::size_t rabenseifner_scratch(int ranks, std::size_t items, Folding how);

template <Folding how>
Algorithm rabenseifner(std::string_view name, std::string_view summary) {
  return {
      .collective = "allreduce",
      .name = name,
      .summary = summary,
      .run = [](Communicator comm, Workspace work,
                Options) { return rabenseifner_allreduce(comm, work.data, work.scratch, how); },
      .cost = [](int ranks, std::size_t items,
                 Options) { return rabenseifner_cost(ranks, items, how); },
      .scratch_items = [](int ranks, std::size_t items,
                          Options) { return rabenseifner_scratch(ranks, items, how); },
  };
}

}  // namespace ringscope
