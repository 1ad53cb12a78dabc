// SPDX-License-Identifier: LGPL-2.1-or-later
// Time of copies that are queued together, or that somebody waits for one after the other.
//
// A copier has start(), which queues one copy, and lane(), on which it does so.
#pragma once

#include <vector>

#include "validation/executors/cuda/gpus/owned.hpp"

namespace ringscope::cuda {

/// Seconds for `rounds` rounds of one copy by each, queued at once.
template <class Copier>
double seconds_queued(Gpus& gpus, const std::vector<Copier>& copiers, int rounds) {
  const double start_s = gpus.now();
  for (int i = 0; i < rounds; ++i)
    for (const Copier& copier : copiers) copier.start();
  for (const Copier& copier : copiers) gpus.record(copier.lane().stream(), copier.lane().event());
  for (const Copier& copier : copiers) gpus.synchronize(copier.lane().event());
  return gpus.now() - start_s;
}

/// Seconds for `copies` copies, each begun when the one before is known to be done.
template <class Copier>
double seconds_waited_for(Gpus& gpus, const Copier& copier, int copies) {
  const double start_s = gpus.now();
  for (int i = 0; i < copies; ++i) {
    copier.start();
    copier.lane().finish();
  }
  return gpus.now() - start_s;
}

}  // namespace ringscope::cuda
