// Ends a process that is stuck.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "topologies/units.hpp"

namespace ringscope::mpi {

/// When it lives longer than `timeout`, ends the process (stuck) after saying where this rank is.
/// `where` is called from a thread of its own, while the rank is anywhere.
class Watchdog {
 public:
  Watchdog(Seconds timeout, int rank, std::function<std::string()> where);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch();

  Seconds timeout_;
  int rank_;
  std::function<std::string()> where_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;  ///< last: it uses all the others
};

}  // namespace ringscope::mpi
