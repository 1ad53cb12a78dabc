// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/clock.hpp"

#include <chrono>
#include <ctime>
#include <thread>

namespace ringscope::mpi {

double now_s() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

double process_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void spin(double seconds) {
  const double end = now_s() + seconds;
  while (now_s() < end) continue;
}

void doze(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace ringscope::mpi
