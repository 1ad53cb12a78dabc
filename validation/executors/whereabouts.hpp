// SPDX-License-Identifier: LGPL-2.1-or-later
// Position of a rank, for those who ask while it is stuck.
#pragma once

#include <atomic>
#include <deque>
#include <string>

#include "algorithms/verbs/communicator.hpp"

namespace ringscope {

// Record of the last writers, so that a wrong result can name the verb that left it there.

/// The verbs of one rank that wrote into its data, in their order.
class Writes {
 public:
  /// Does nothing for a verb that writes nothing there.
  void note(const Operation& operation, std::string_view phase, int step);
  void clear() { writes_.clear(); }
  /// The last verb that wrote an item: "reduce-scatter, step 2, reduce"; "" when none did.
  std::string last(std::size_t item) const;

 private:
  struct Write {
    Verb verb;
    Range range;
    std::string_view phase;
    int step;
  };
  std::vector<Write> writes_;
};

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

// Time of a rank in each step of each phase.

struct PhaseTime {
  std::string phase;
  int step = 0;
  double seconds = 0;
};

/// Steps in the order in which they were first entered.
class PhaseTimes {
 public:
  /// A step ends where the next one begins; what lies before the first belongs to none.
  void mark(Mark mark, double now);
  void end(double now);

  void add(std::string_view phase, int step, double seconds);
  void add(const PhaseTimes& other);
  const std::vector<PhaseTime>& times() const { return times_; }

 private:
  std::size_t find(std::string_view phase, int step);

  std::vector<PhaseTime> times_;
  std::size_t last_ = 0;  ///< steps come in the same order every time: the next is after it
  bool inside_ = false;
  double entered_ = 0;
};

}  // namespace ringscope
