// SPDX-License-Identifier: LGPL-2.1-or-later
// The one coroutine type of the project.
//
// Invariants: a task is lazy (nothing runs until it is awaited or resumed), move-only, and owned by
// exactly one place; destroying it destroys the coroutine and its arguments, started or not.
// What an algorithm throws is kept and rethrown where the task is awaited.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace ringscope {

class [[nodiscard]] Task {
 public:
  struct promise_type {
    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return ResumeAwaiter{}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }

    std::coroutine_handle<> awaiter = std::noop_coroutine();
    std::exception_ptr error;
  };
  using Handle = std::coroutine_handle<promise_type>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Awaiting a task runs it to its end, then rethrows what it threw.
  auto operator co_await() && noexcept { return Awaiter{handle_}; }

  /// First resumption of a top-level task, for executors.
  void start() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  /// Rethrows what the finished task threw, if anything.
  void rethrow() const {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }

 private:
  // Symmetric transfer: a chain of awaited tasks uses no stack however long it is, where that is a
  // tail call. Elsewhere (a sanitizer's frames, no optimiser, WebAssembly) a task that ends without
  // a wait goes back to its caller, so that many in a row use no stack either. One value for all of
  // a program, whose objects may have been compiled either way.
  static const bool tail_calls_;
  struct ResumeAwaiter {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle self) noexcept { return self.promise().awaiter; }
    void await_resume() noexcept {}
  };
  struct Awaiter {
    Handle task;
    bool await_ready() {
      if (tail_calls_) return false;
      task.resume();
      return task.done();
    }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
      task.promise().awaiter = caller;
      return tail_calls_ ? std::coroutine_handle<>(task) : std::noop_coroutine();
    }
    void await_resume() const {
      if (task.promise().error) std::rethrow_exception(task.promise().error);
    }
  };

  explicit Task(Handle handle) : handle_(handle) {}
  Handle handle_;
};

}  // namespace ringscope
