// SPDX-License-Identifier: LGPL-2.1-or-later
// Recording of a run, for Report::recording: loads from the kernel, chunks from the executors.
#pragma once

#include <memory>

#include "scenarios/question/scenario.hpp"
#include "sim/insight/chunk_record.hpp"
#include "sim/insight/load_record.hpp"
#include "sim/machine/ledger.hpp"

namespace ringscope::sim {

class Recorder {
 public:
  /// Takes the kernel in, and stands before it.
  explicit Recorder(std::unique_ptr<Kernel> kernel);

  std::unique_ptr<Kernel> take_kernel() { return std::move(kernel_); }
  /// Called before a repetition of the job begins.
  void restart(const Job& job, int ranks);
  /// Executor that a rank's program is to talk to.
  Executor& in_front_of(Executor& rank) {
    return follows_chunks_ ? chunks_.in_front_of(rank) : rank;
  }
  /// Recording of the repetition that has ended.
  std::shared_ptr<const Recording> take(const Ledger& ledger);

 private:
  std::unique_ptr<LoadRecord> kernel_;
  LoadRecord* loads_;
  ChunkRecord chunks_;
  bool follows_chunks_ = false;
  std::string no_chunks_;
};

}  // namespace ringscope::sim
