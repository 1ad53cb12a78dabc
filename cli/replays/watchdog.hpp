// SPDX-License-Identifier: LGPL-2.1-or-later
// Ends a process that is stuck.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "topologies/input/units.hpp"

namespace ringscope {

/// Ends the process (stuck) when it lives longer than `timeout`, after saying where its ranks are.
/// With `progress`: when that number has not changed for so long, and at most twice as long.
/// `where` is called from a thread of its own, while they are anywhere.
class Watchdog {
 public:
  /// `where` says "rank 2 is in reduce-scatter, step 1, send with rank 3".
  Watchdog(Seconds timeout, std::function<std::string()> where,
           std::function<std::uint64_t()> progress = {});
  /// Watches a process that is one rank; `where` says "send with rank 3".
  Watchdog(Seconds timeout, int rank, std::function<std::string()> where,
           std::function<std::uint64_t()> progress = {});
  ~Watchdog();
  Watchdog& operator=(Watchdog&&) = delete;  ///< neither copied nor moved

 private:
  void watch();

  Seconds timeout_;
  std::function<std::string()> where_;
  std::function<std::uint64_t()> progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;  ///< last: it uses all the others
};

}  // namespace ringscope
