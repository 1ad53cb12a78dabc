// SPDX-License-Identifier: LGPL-2.1-or-later
// Interface of an executor, the one that runs an algorithm's program, and the steps that it counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <string_view>

#include "algorithms/verbs/source_line.hpp"
#include "algorithms/verbs/task.hpp"

namespace ringscope {

struct Operation;
struct GroupCall;

using Duration = std::chrono::duration<double>;

inline constexpr int any_source = -1;

/// A posted send or receive, to be waited for exactly once. Names a slot of its executor.
struct Request {
  int slot = -1;
};

/// A second thread of the same rank, or a non-blocking collective that it has started; to be joined
/// exactly once.
struct Thread {
  int index = -1;
};

/// A counter of a rank, from 0, that its threads raise and wait for. Flags are few: an executor
/// keeps one for each index below the highest in use.
struct Flag {
  int index = 0;
};
inline constexpr int most_flags = 1024;

/// Position of a rank in the algorithm's program: for reports, never for decisions.
struct Mark {
  std::string_view phase;
  int step = 0;
  std::string_view part;  ///< of an algorithm made of others: which one; "" elsewhere
  SourceLine where{};     ///< of a step of a program in a file; else verbs have their own
};

/// Ways to run a program that a rank starts beside its own: as a thread; or as a non-blocking
/// collective, whose calls are made by the library's progress engine whenever it runs.
enum class Beside : std::uint8_t { thread, nonblocking };

/// Steps of a phase that differ in nothing but the chunks that they name.
struct AlikeSteps {
  int count = 0;
  bool of_equal_chunks = false;  ///< not even by an item
};

/// Services of an executor for one thread of one rank.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// isend and irecv: returns at once. The order of posts and performs is the order of the program.
  virtual Request post(const Operation&) = 0;
  /// Everything that may block. Returns false when it completed at once and the caller goes on;
  /// true when the executor will resume `waiter` later. `operation` lives until then.
  virtual bool perform(Operation& operation, std::coroutine_handle<> waiter) = 0;
  /// Starts `body` as thread `next_free(how)` of this rank. The body must use that thread's
  /// communicator. An index is in use until joined.
  virtual Thread start(Task body, Beside how) = 0;
  /// The lowest index not in use: of threads from 1 on, of non-blocking collectives behind them.
  virtual int next_free(Beside how) = 0;
  /// The executor of thread `index` of this rank; 0 is the rank's first thread.
  virtual Executor& thread(int index) = 0;
  virtual void mark(Mark) = 0;
  /// The step that follows `step` of those: the next one, or a later one, up to their number.
  virtual int next_step(int step, AlikeSteps /*all*/) { return step + 1; }
  virtual void raise(Flag) = 0;
  /// Channels of a kernel that do the same are each performed; else the first is, which says for
  /// how many.
  virtual bool performs_alike() const { return true; }
  /// A block of a kernel, begun by this thread, has ended.
  virtual void end_block() {}
  /// Whether it may know how long the collective takes that the rank begins: then the rank is to
  /// meet the others of its group.
  virtual bool may_know(const GroupCall&) { return false; }
  /// The rank has ended one that was not known.
  virtual void has_ended(const GroupCall&) {}
  /// One value of something that the program wants reported, such as "staleness".
  virtual void observe(std::string_view /*what*/, double /*value*/) {}
};

/// The steps of one phase: iterating marks where the rank stands.
class Steps {
 public:
  Steps(Executor* executor, std::string_view phase, int count, std::string_view part)
      : executor_(executor), phase_(phase), part_(part), count_(count) {}
  /// The program's promise that its steps differ in nothing but the chunks that they name: an
  /// executor that knows what they come to need not perform them all.
  Steps alike() const { return alike(0, {count_}); }
  /// Likewise of the steps first..last-1, whose chunks are equal.
  Steps equal(int first, int last) const {
    return alike(first, {.count = std::max(0, last - first), .of_equal_chunks = true});
  }
  class iterator {
   public:
    iterator(const Steps* steps, int step) : steps_(steps), step_(step) {}
    int operator*() const {
      steps_->executor_->mark({steps_->phase_, step_, steps_->part_});
      return step_;
    }
    iterator& operator++() {
      step_ = steps_->after(step_);
      return *this;
    }
    bool operator!=(const iterator& other) const { return step_ < other.step_; }

   private:
    const Steps* steps_;
    int step_;
  };
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, count_}; }

 private:
  Steps alike(int first, AlikeSteps all) const {
    Steps steps = *this;
    steps.first_alike_ = first;
    steps.alike_ = all;
    return steps;
  }
  int after(int step) const {
    const int within = step - first_alike_;
    if (within < 0 || within >= alike_.count) return step + 1;
    return first_alike_ + executor_->next_step(within, alike_);
  }

  Executor* executor_;
  std::string_view phase_, part_;
  int count_;
  int first_alike_ = 0;
  AlikeSteps alike_;
};

}  // namespace ringscope
