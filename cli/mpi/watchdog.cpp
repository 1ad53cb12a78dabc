#include "cli/mpi/watchdog.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "cli/failure.hpp"

namespace ringscope::mpi {

Watchdog::Watchdog(Seconds timeout, int rank, std::function<std::string()> where)
    : timeout_(timeout), rank_(rank), where_(std::move(where)), thread_([this] { watch(); }) {}

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
  if (changed_.wait_for(lock, timeout_, [this] { return over_; })) return;
  fmt::print(stderr, "timeout after {} s: rank {} is in {}\n", timeout_.count(), rank_, where_());
  std::fflush(stderr);
  // The others say where they are before the launcher ends them too.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::_Exit(static_cast<int>(ExitCode::stuck));
}

}  // namespace ringscope::mpi
