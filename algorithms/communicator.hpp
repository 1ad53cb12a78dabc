// What a rank can do: MPI's point-to-point verbs on ranges, and the local verbs beside them.
//
// An algorithm holds a Communicator by value and writes `co_await comm.send(range, peer)`. Each
// verb becomes one Operation that an executor performs: the loopback executor with data and no
// clock, the simulator with a clock and no data, a replay with the MPI call of that name.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <span>
#include <string_view>

#include "algorithms/range.hpp"
#include "algorithms/task.hpp"

namespace ringscope {

using Duration = std::chrono::duration<double>;

inline constexpr int any_source = -1;

/// A posted send or receive, to be waited for exactly once. Names a slot of its executor.
struct Request {
  int slot = -1;
};

/// A second thread of the same rank; to be joined exactly once.
struct Thread {
  int index = -1;
};

enum class Verb : std::uint8_t {
  isend,
  irecv,
  send,
  recv,
  sendrecv,
  wait,
  wait_all,
  wait_any,
  test,
  reduce,
  copy,
  compute,
  join
};

/// One verb with its arguments. Which fields count depends on the verb.
struct Operation {
  Verb verb{};
  Range range{};                 ///< sent; or received into; or reduced or copied into
  Range other{};                 ///< sendrecv: received into; reduce, copy: read from
  int peer = 0, other_peer = 0;  ///< destination or source; sendrecv: destination, source
  int tag = 0;
  Duration time{};                      ///< compute
  std::span<const Request> requests{};  ///< wait, wait_all, wait_any, test; lives in the awaiter
  Thread thread{};                      ///< join
  int result = 0;                       ///< wait_any: the index that completed; test: 0 or 1
};

/// Where a rank stands in the algorithm's text: for reports, never for decisions.
struct Mark {
  std::string_view phase;
  int step = 0;
};

/// What an executor does for one thread of one rank.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// isend and irecv: returns at once. The order of posts and performs is the order of the text.
  virtual Request post(const Operation&) = 0;
  /// Everything that may block. Returns false when it completed at once and the caller goes on;
  /// true when the executor will resume `waiter` later. `operation` lives until then.
  virtual bool perform(Operation& operation, std::coroutine_handle<> waiter) = 0;
  /// Starts `body` as the thread of this rank with the lowest index from 1 on that is not in use;
  /// an index is in use until joined. The body must use `thread(index)`'s communicator.
  virtual Thread start(Task body) = 0;
  /// The executor of thread `index` of this rank; 0 is the rank's first thread.
  virtual Executor& thread(int index) = 0;
  virtual void mark(Mark) = 0;
};

/// `co_await`ing it performs the operation. It owns what the operation points to.
class [[nodiscard]] Pending {
 public:
  Pending(Executor* executor, const Operation& operation)
      : executor_(executor), operation_(operation) {}
  Pending(Executor* executor, const Operation& operation, Request only)
      : executor_(executor), operation_(operation), only_(only) {
    operation_.requests = std::span(&only_, 1);
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    return executor_->perform(operation_, waiter);
  }
  int await_resume() const noexcept { return operation_.result; }

 private:
  Executor* executor_;
  Operation operation_;
  Request only_;
};

/// The steps of one phase: iterating marks where the rank stands.
class Steps {
 public:
  Steps(Executor* executor, std::string_view phase, int count)
      : executor_(executor), phase_(phase), count_(count) {}
  class iterator {
   public:
    iterator(const Steps* steps, int step) : steps_(steps), step_(step) {}
    int operator*() const {
      steps_->executor_->mark({steps_->phase_, step_});
      return step_;
    }
    iterator& operator++() {
      ++step_;
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
  Executor* executor_;
  std::string_view phase_;
  int count_;
};

/// A cheap handle: the group of ranks as one of them (or one of its threads) sees it.
class Communicator {
 public:
  explicit Communicator(Executor& executor) : executor_(&executor) {}

  int rank() const { return executor_->rank(); }
  int size() const { return executor_->size(); }
  int next() const { return (rank() + 1) % size(); }
  int prev() const { return (rank() + size() - 1) % size(); }

  /// The steps 0..count-1 of a phase, for `for (int step : comm.phase("allgather", n))`.
  Steps phase(std::string_view name, int count) const { return {executor_, name, count}; }

  [[nodiscard]] Request isend(Range range, int to, int tag = 0) const {
    return executor_->post({.verb = Verb::isend, .range = range, .peer = to, .tag = tag});
  }
  [[nodiscard]] Request irecv(Range into, int from, int tag = 0) const {
    return executor_->post({.verb = Verb::irecv, .range = into, .peer = from, .tag = tag});
  }
  Pending send(Range range, int to, int tag = 0) const {
    return {executor_, {.verb = Verb::send, .range = range, .peer = to, .tag = tag}};
  }
  Pending recv(Range into, int from, int tag = 0) const {
    return {executor_, {.verb = Verb::recv, .range = into, .peer = from, .tag = tag}};
  }
  Pending sendrecv(Range range, int to, Range into, int from, int tag = 0) const {
    return {executor_,
            {.verb = Verb::sendrecv,
             .range = range,
             .other = into,
             .peer = to,
             .other_peer = from,
             .tag = tag}};
  }
  Pending wait(Request request) const { return {executor_, {.verb = Verb::wait}, request}; }
  /// The requests must outlive the await: name them in the text.
  Pending wait_all(std::span<const Request> requests) const {
    return {executor_, {.verb = Verb::wait_all, .requests = requests}};
  }
  /// Yields the index of one completed request.
  Pending wait_any(std::span<const Request> requests) const {
    return {executor_, {.verb = Verb::wait_any, .requests = requests}};
  }
  /// Yields 1 when the request is complete (and then it is used up), else 0.
  Pending test(Request request) const { return {executor_, {.verb = Verb::test}, request}; }

  /// into += from, item by item; both have into.size items.
  Pending reduce(Range into, Range from) const {
    return {executor_, {.verb = Verb::reduce, .range = into, .other = from.first(into.size)}};
  }
  Pending copy(Range into, Range from) const {
    return {executor_, {.verb = Verb::copy, .range = into, .other = from.first(into.size)}};
  }
  Pending compute(Duration time) const {
    return {executor_, {.verb = Verb::compute, .time = time}};
  }

  /// The same rank as its thread `index` sees it; the thread that starts it gives it this.
  Communicator thread(int index) const { return Communicator(executor_->thread(index)); }
  [[nodiscard]] Thread start(Task body) const { return executor_->start(std::move(body)); }
  Pending join(Thread thread) const { return {executor_, {.verb = Verb::join, .thread = thread}}; }

 private:
  Executor* executor_;
};

}  // namespace ringscope
