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
  int part_forward(int pass) const { return pass % (stages * parts) / stages; }
  int part_backward(int pass) const { return parts - 1 - part_forward(pass); }
  int micro_batch(int pass) const { return pass / (stages * parts) * stages + pass % stages; }
  /// Passes forward before the first one backward.
  int warm_up() const {
    return std::min(passes(), 2 * (stages - 1 - stage) + (parts - 1) * stages);
  }
  /// The first layers of all take data, the last ones end in the loss.
  bool receives_forward(int pass) const { return stage > 0 || part_forward(pass) > 0; }
  bool sends_forward(int pass) const {
    return stage + 1 < stages || part_forward(pass) + 1 < parts;
  }
  bool receives_backward(int pass) const {
    return stage + 1 < stages || part_backward(pass) + 1 < parts;
  }
  bool sends_backward(int pass) const { return stage > 0 || part_backward(pass) > 0; }
};

}  // namespace ringscope
