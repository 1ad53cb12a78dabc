// SPDX-License-Identifier: LGPL-2.1-or-later
// Work of the host in a large model's step: what a report repeats of it.
#pragma once

namespace ringscope {

/// Waits of all GPUs for their host in a step: expected seconds.
struct HostWork {
  double overhead_s = 0;    ///< `step_overhead`
  double logging_s = 0;     ///< metrics and their output
  double collection_s = 0;  ///< garbage collection of the interpreter
  double checkpoint_s = 0;

  double sum() const { return overhead_s + logging_s + collection_s + checkpoint_s; }
};

}  // namespace ringscope
