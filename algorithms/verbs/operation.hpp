// The verbs, and one of them with its arguments.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "algorithms/verbs/range.hpp"

namespace ringscope {

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

/// A counter of a rank, from 0, that its threads raise and wait for; there are `flags` of them.
struct Flag {
  int index = 0;
};
inline constexpr int flags = 16;

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
  multicast
};
inline constexpr int verbs = static_cast<int>(Verb::multicast) + 1;

/// One verb with its arguments. Which fields count depends on the verb.
struct Operation {
  Verb verb{};
  Range range{};                 ///< sent; or received into; or reduced or copied into
  Range other{};                 ///< sendrecv: received into; reduce, copy: read from
  int peer = 0, other_peer = 0;  ///< destination or source; sendrecv: destination, source
  int tag = 0;
  Duration time{};                      ///< compute, sleep
  std::span<const Request> requests{};  ///< wait, wait_all, wait_any, test; lives in the awaiter
  Thread thread{};                      ///< join
  Flag flag{};                          ///< reach
  std::size_t count = 0;                ///< reach: how often raised; load, store: items
  std::span<const int> receivers{};     ///< multicast
  /// wait_any: the index that completed; test: 0 or 1; recv, sendrecv, and wait for a receive: how
  /// many items came.
  int result = 0;
};

}  // namespace ringscope
