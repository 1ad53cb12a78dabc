// SPDX-License-Identifier: LGPL-2.1-or-later
// A verb as a value, and what a program awaits of it.
#pragma once

#include <coroutine>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/verbs/executor.hpp"
#include "algorithms/verbs/group.hpp"
#include "algorithms/verbs/range.hpp"
#include "algorithms/verbs/source_line.hpp"
#include "base/table.hpp"

namespace ringscope {

// The verbs by name; communicator.hpp says what each does.

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
  join,
  sleep,
  load,
  store,
  reach,
  multicast,
  split,
  meet
};
/// Names by Verb.
inline constexpr Array<std::string_view, 20> verb_names = {
    "isend",    "irecv", "send",   "recv",      "sendrecv", "wait", "wait_all",
    "wait_any", "test",  "reduce", "copy",      "compute",  "join", "sleep",
    "load",     "store", "reach",  "multicast", "split",    "meet"};
inline constexpr std::size_t verbs = verb_names.size();
static_assert(&verb_names[Verb::meet] == &verb_names.back() && verb_names.back() == "meet");

inline std::string_view name_of(Verb verb) { return verb_names[verb]; }

/// One verb with its arguments. Which fields count depends on the verb.
struct Operation {
  Verb verb{};
  Range range{};                 ///< sent; or received into; or reduced or copied into
  Range other{};                 ///< sendrecv: received into; reduce, copy: read from
  int peer = 0, other_peer = 0;  ///< destination or source; sendrecv: destination, source
  Tag tag{};
  Duration time{};  ///< compute, sleep; an empty copy: since the rank's program began
  std::span<const Request> requests{};  ///< wait, wait_all, wait_any, test; lives in the awaiter
  Thread thread{};                      ///< join
  Flag flag{};                          ///< reach
  /// reach: how often raised; load, store: items; compute: bytes, read or written, of its memory.
  /// Sleep: records that the input of the rank's host prepares in that time; 0: a clock.
  /// reduce: 1 where the sum stays, of a block's.
  std::size_t count = 0;
  bool decides = false;              ///< recv: the critical path comes from the message's sender
  std::span<const int> receivers{};  ///< multicast
  Block block{};                     ///< of a kernel: isend, irecv, reduce, copy
  SplitCall* split = nullptr;        ///< split; lives in the awaiter
  const GroupCall* call = nullptr;   ///< meet; lives in the program
  SourceLine where{};                ///< the program performs it
  /// wait_any: the index that completed; test, meet: 0 or 1; recv, sendrecv, wait: items that came.
  int result = 0;
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
  Pending(Executor* executor, const Operation& operation, std::vector<int> receivers)
      : executor_(executor), operation_(operation), receivers_(std::move(receivers)) {
    operation_.receivers = receivers_;
  }
  Pending& operator=(Pending&&) = delete;  ///< neither copied nor moved

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter, SourceLine where = SourceLine::here()) {
    operation_.where = where;
    return executor_->perform(operation_, waiter);
  }
  int await_resume() const noexcept { return operation_.result; }

 private:
  Executor* executor_;
  Operation operation_;
  Request only_;
  std::vector<int> receivers_;
};

}  // namespace ringscope
