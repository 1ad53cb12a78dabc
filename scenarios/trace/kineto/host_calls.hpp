// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls of a rank's host that launch work of its GPU, or wait for it, in their order.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scenarios/trace/kineto/events.hpp"

namespace ringscope::kineto {

struct HostCall {
  enum class Kind : std::uint8_t {
    launch,
    host_waits,          ///< for some of the work
    host_waits_for_all,  ///< that was launched before
    stream_waits         ///< for a collective
  };
  Kind kind{};
  std::size_t event = 0;             ///< index among all events
  double at = 0;                     ///< us: when it has done its part
  std::vector<std::size_t> works{};  ///< events that it launches
};

class HostCalls {
 public:
  explicit HostCalls(const std::vector<Event>& events);

  const std::vector<HostCall>& calls() const { return calls_; }
  /// Date of the first call; 0 where there is none.
  double begin() const { return calls_.empty() ? 0 : calls_.front().at; }

 private:
  void find_own_calls_of_collectives();
  bool is_of_a_collective(const Event& call) const;

  const std::vector<Event>* events_;
  std::vector<HostCall> calls_;
  /// Spans in which each thread issued collectives.
  std::map<std::int64_t, std::vector<std::pair<double, double>>> issuing_;
};

}  // namespace ringscope::kineto
