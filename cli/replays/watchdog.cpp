// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/replays/measuring.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "cli/terminal/failure.hpp"

namespace ringscope {

Watchdog::Watchdog(Seconds timeout, std::function<std::string()> where,
                   std::function<std::uint64_t()> progress)
    : timeout_(timeout),
      where_(std::move(where)),
      progress_(std::move(progress)),
      thread_([this] { watch(); }) {}

Watchdog::Watchdog(Seconds timeout, int rank, std::function<std::string()> where,
                   std::function<std::uint64_t()> progress)
    : Watchdog(
          timeout,
          [rank, place = std::move(where)] {
            return fmt::format("rank {} is in {}", rank, place());
          },
          std::move(progress)) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  const auto reached = [this] { return progress_ ? progress_() : 0; };
  for (std::uint64_t seen = reached(), now = 0;; seen = now) {
    if (changed_.wait_for(lock, timeout_, [this] { return over_; })) return;
    now = reached();
    if (now == seen) break;
  }
  fmt::print(stderr, "timeout after {} s: {}\n", timeout_.count(), where_());
  std::fflush(stderr);
  // The others say where they are before the launcher ends them too.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::_Exit(static_cast<int>(ExitCode::stuck));
}

}  // namespace ringscope
