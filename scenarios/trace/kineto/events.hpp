// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of a Kineto trace, as PyTorch's profiler writes it: one JSON file for each rank.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/traces/trace.hpp"
#include "scenarios/schedule/schedule_file.hpp"
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

// Events of one rank as nodes that run: what a GPU did, stream by stream, and when the host told it
// to.
//
// Work of a stream begins when the work before it has ended, and the host has launched it. The
// host's threads are one lane: time passes between the calls that launch work, or wait for it, as
// it did when the trace was taken. A collective begins when what was launched before it on other
// streams has ended, as PyTorch's process groups let it; what a stream waits for it is told by
// calls of cudaStreamWaitEvent outside of the collectives' own: each is for the oldest collective
// that nobody has waited for. The trace has no word on which it is. Source: pytorch/pytorch,
// torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, syncStreams and WorkNCCL::synchronizeStream.

/// Groups of all ranks' collectives, by their names.
class Groups {
 public:
  /// `ranks`: of the job. All ranks where the event names none.
  int index_of(const Event& event, const File& file, int ranks);
  const Table<traces::TraceGroup>& all() const { return all_; }

 private:
  std::map<std::vector<int>, int> indices_;
  Table<traces::TraceGroup> all_;
};

/// A rank to read, of how many.
struct Question {
  int rank = 0, ranks = 1;
  bool for_all = false;  ///< every rank does what this file says
  /// Algorithm of a collective; the second one where the user chose none.
  std::function<const Algorithm*(std::string_view, std::string_view)> algorithm;
};

/// Nodes, and the events behind them, for errors.
struct Nodes {
  Table<traces::Node> nodes;
  Table<std::size_t> events;  ///< by node: index in File::events
};

/// Throws InputError.
Nodes nodes_of(const File& file, const Question& question, Groups& groups, NodeCounts& counts);

}  // namespace ringscope::kineto
