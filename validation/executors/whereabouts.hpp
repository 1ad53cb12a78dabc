// SPDX-License-Identifier: LGPL-2.1-or-later
// Position of a rank, for those who ask while it is stuck.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "algorithms/verbs/communicator.hpp"

namespace ringscope {

/// Position of a thread: written with every verb, read by a watchdog in another thread.
class Whereabouts {
 public:
  void mark(Mark mark);
  /// A verb, or a call of MPI's own; `call` lives as long as the program.
  void enter(const std::string_view& call, int peer = -1);
  void enter(const Operation& operation);
  void leave_phase() { phase_ = nullptr; }

  /// "reduce_scatter, step 2, send with rank 3".
  std::string text() const;
  std::string_view phase() const;
  int step() const { return step_; }
  /// How many verbs and calls so far.
  std::uint64_t entered() const { return entered_.load(std::memory_order_relaxed); }

 private:
  std::deque<std::string> names_;  ///< of the phases so far; they stay where they are
  std::atomic<const std::string*> phase_ = nullptr;
  std::atomic<const std::string_view*> call_ = nullptr;
  std::atomic<int> step_ = 0, peer_ = -1;
  std::atomic<std::uint64_t> entered_ = 0;
};

}  // namespace ringscope
