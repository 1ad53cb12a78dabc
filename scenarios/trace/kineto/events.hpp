// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of a Kineto trace, as PyTorch's profiler writes it: one JSON file for each rank.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope::kineto {

/// A collective as its NCCL kernel tells it.
struct Collective {
  std::string name;   ///< "allreduce"; "" where the kernel does not say
  std::string group;  ///< its name
  std::vector<int> ranks;
  std::string type;                 ///< of an item: "Float"
  std::int64_t in = -1, out = -1;   ///< items of the rank; -1: not said
  std::int64_t from = -1, to = -1;  ///< of a message: global ranks
};

/// An event with a beginning and an end. Times are microseconds.
struct Event {
  std::size_t number = 0;  ///< in the file
  std::string category, name;
  double start = 0, duration = 0;
  std::int64_t thread = 0;        ///< of the host, or a stream of the GPU
  std::int64_t correlation = -1;  ///< a call of the host and what it launched have one number
  Collective collective{};

  double end() const { return start + duration; }
};

struct File {
  std::shared_ptr<const Source> source;  ///< its path alone
  std::vector<Event> events{};           ///< in the order of the file
  std::vector<std::string> others{};     ///< kinds of those without a duration, one for each
  int world = 0;                         ///< ranks of the job that was recorded; 0: not said

  Place place() const { return {source, 0, 0}; }
};

/// Throws InputError.
File read_events(const std::string& path, std::string_view bytes);

/// "event 7 'ncclDevKernel_AllReduce'".
std::string text_of(const Event& event);

bool on_gpu(const Event& event);
/// A kernel of NCCL's.
bool is_collective(const Event& event);

// Calls of a rank's host that launch work of its GPU, or wait for it, in their order.

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
