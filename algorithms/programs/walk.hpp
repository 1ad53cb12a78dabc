// SPDX-License-Identifier: LGPL-2.1-or-later
// One rank's way through a program: which step comes next, and what it waits for.
#pragma once

#include <vector>

#include "algorithms/programs/program.hpp"

namespace ringscope::programs {

/// The rank, in its turns of the loops around a step.
class Stand {
 public:
  Stand(const Program& program, int rank)
      : program_(&program), rank_(rank), turns_(program.slots) {}

  int rank() const { return rank_; }
  void set_turn(int slot, double turn) { turns_[slot] = turn; }
  double value(const Expression& expression) const {
    return expression.value({rank_, program_->ranks(), program_->kinds, turns_});
  }
  /// True if the rank does the step, as its conditions, its group and its partners say.
  bool does(const Step& step) const;
  /// Place of the partner in the group; none: -1. As said, where that is no place of the group.
  double partner_of(const Step& message) const;
  const GroupKind& group(const Step& step) const { return program_->kinds[step.group]; }

 private:
  bool holds(const Condition& condition) const;

  const Program* program_;
  int rank_;
  Table<double> turns_;
};

/// Whole bytes, of a part of one the whole.
std::uint64_t whole_items(double bytes);

class Walk {
 public:
  Walk(const Program& program, int rank);

  /// The next step that the rank does, of any stream; null at the end.
  const Step* next();
  const Stand& stand() const { return stand_; }
  /// Number of times that the flag has to be raised before the step that next() has given goes on.
  std::int64_t awaited(const After& after) const;
  /// The turn of the innermost loop around the step.
  int turn() const { return frames_.back().turn; }

 private:
  struct Frame {
    const std::vector<Step>* steps;
    std::size_t at = 0;
    int slot = -1, turn = 0, turns = 1;
    bool turns_differ = false;
    bool gave = false;  ///< a step, in any turn
  };
  void enter(const Step& block);
  /// Begins the next turn of the innermost loop, or leaves it; false at the end of the program.
  bool go_on();

  Stand stand_;
  std::vector<Frame> frames_;
  Table<std::int64_t> raised_;  ///< by the steps before this one
  const Step* given_ = nullptr;
};

}  // namespace ringscope::programs
