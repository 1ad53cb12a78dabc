// SPDX-License-Identifier: LGPL-2.1-or-later
// The order in which a stage of an interleaved pipeline takes micro-batches through its parts: each
// stage has several parts of the layers, and part i of all stages comes before part i + 1.
//
// Source: Narayanan et al., SC 2021, arXiv:2104.04473, section 2.2, and
// forward_backward_pipelining_with_interleaving in Megatron's pipeline_parallel/schedules.py.
#pragma once

#include <algorithm>

namespace ringscope {

/// Passes of a stage are numbered in the order in which it takes them, forward and backward each
/// from 0. Requires micro-batches that the number of stages divides.
struct InterleavedOrder {
  int stages = 1, parts = 1, micro_batches = 1;
  int stage = 0;

  int passes() const { return micro_batches * parts; }
  int part(bool back, int pass) const {
    const int forward = pass % (stages * parts) / stages;
    return back ? parts - 1 - forward : forward;
  }
  int micro_batch(int pass) const { return pass / (stages * parts) * stages + pass % stages; }
  /// Passes forward before the first one backward.
  int warm_up() const {
    return std::min(passes(), 2 * (stages - 1 - stage) + (parts - 1) * stages);
  }
  /// The first layers of all take data, the last ones end in the loss.
  bool takes_data(int part) const { return stage == 0 && part == 0; }
  bool ends_in_loss(int part) const { return stage + 1 == stages && part + 1 == parts; }
  bool receives(bool back, int pass) const {
    return back ? !ends_in_loss(part(back, pass)) : !takes_data(part(back, pass));
  }
  bool sends(bool back, int pass) const {
    return back ? !takes_data(part(back, pass)) : !ends_in_loss(part(back, pass));
  }
};

}  // namespace ringscope
