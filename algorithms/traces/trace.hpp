// SPDX-License-Identifier: LGPL-2.1-or-later
// A trace: what each rank of a program did, as nodes that wait for each other: computations,
// messages, and collectives on groups of ranks. It runs as any algorithm does. No data has a
// meaning: a trace is timed, not checked.
//
// Each rank has lanes. A lane does one node at a time: of those that are free, the first in the
// file. Lane 0 is the rank's program; the others run beside it, as the streams of a GPU do.
// Messages belong to no lane: each begins when all that it waits for has ended, and ends when it is
// complete.
//
// In a trace with nothing but lane 0 each rank is a program of one thread: its messages are posted
// as they get free, and it is inside the library whenever it waits. That is what a recorded MPI
// program is: a wait is a node without time that comes after the message, and after what the
// program did before. Such a program's non-blocking collectives are the library's to move on.
//
// GOAL's messages and calculations are such programs, too.
// Source: Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", ICPP 2009; the order of
// what may go at once: spcl/LogGOPSim, src/LogGOPSim/LogGOPSim.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/schedules/schedule.hpp"
#include "base/table.hpp"

namespace ringscope::traces {

struct Node {
  enum class Kind : std::uint8_t {
    compute,  ///< work of the rank's processor: of its GPU, where it has one
    delay,    ///< time that passes on the lane and takes no processor of the rank
    send,
    receive,
    collective,
    order  ///< nothing: it ends when all that it waits for has ended, and others may wait for it
  };
  Kind kind{};
  bool nonblocking = false;         ///< collective: begun here; what waits for it comes after it
  int lane = 0;                     ///< of computations, delays and collectives
  Duration time{};                  ///< compute, delay
  std::uint64_t items = 0;          ///< of a message; of a collective's whole vector
  int peer = -1;                    ///< of a message; a receive's may be any_source
  int tag = 0;                      ///< of a message, at least 0
  int group = -1;                   ///< collective: index in Trace::groups
  const Algorithm* algorithm = {};  ///< collective: of the catalogue, on one thread
  int root = 0;                     ///< collective: index in the group
  std::vector<int> after{};         ///< nodes of the rank that have to be done
  std::vector<int> after_starts{};  ///< those that have to be begun; none that keeps an order
};

struct TraceGroup {
  std::string name;  ///< in reports
  SharedRanks ranks;
};

/// The n-th collective of a group in one rank's nodes is the n-th one in those of its others.
struct Trace {
  Table<TraceGroup> groups;
  Table<Table<Node>> ranks;
  /// Messages of ranks with one lane, too, move beside it: the network's, not the program's.
  bool asynchronous = false;
  /// No collectives, one lane: reports name calculations, and messages when they are waited for.
  bool of_goal = false;
};

/// Lanes that a trace may have.
inline constexpr int most_lanes = 256;

int lanes_of(const Trace& trace);

/// Items of the longest message or vector, and at least 1.
std::uint64_t longest_of(const Trace& trace);

/// A node of a rank that waits for itself, through others; or -1.
struct NodeId {
  int rank = -1, node = -1;
};
NodeId in_a_circle(const Trace& trace);

/// The algorithm of a schedule that has a trace (schedule.hpp).
Algorithm algorithm_of_trace(const schedules::Schedule& schedule);

// Dependences of one rank's nodes, and which of them are free.

inline bool is_message(const Node& node) {
  return node.kind == Node::Kind::send || node.kind == Node::Kind::receive;
}

class Dependences {
 public:
  /// All nodes that are not messages in lane 0 where it has one only.
  Dependences(const Table<Node>& nodes, int lanes);

  /// The first free one in the order of the file; requires that there is one.
  int next_message() { return pop(messages_); }
  int next(int lane) { return pop(lanes_[lane]); }
  bool has_message() const { return !messages_.empty(); }
  bool has(int lane) const { return !lanes_[lane].empty(); }
  /// Nodes that have become free with it.
  const std::vector<int>& begin(int node);
  const std::vector<int>& end(int node);
  /// Nodes that are free at the start.
  const std::vector<int>& free_at_start() const { return free_at_start_; }
  std::size_t ended() const { return ended_; }
  /// The first node that waits for others; -1 where none does.
  int first_waiting();
  const Node& node(int number) const { return (*nodes_)[number]; }
  std::size_t size() const { return nodes_->size(); }

 private:
  using Queue = std::priority_queue<int, std::vector<int>, std::greater<>>;

  static int pop(Queue& queue) {
    const int first = queue.top();
    queue.pop();
    return first;
  }
  /// Lets it begin; one that only keeps an order ends at once.
  void make_free(int number);
  void let_go(const std::vector<int>& waiting);
  void let_ended_go();

  const Table<Node>* nodes_;
  Table<std::size_t> missing_;
  using ByNode = Table<std::vector<int>>;
  ByNode waiting_, waiting_for_start_;  ///< by the node that they wait for; empty: none does
  Table<Queue> lanes_;
  Queue messages_;
  std::vector<int> free_at_start_, freed_;
  std::vector<int> ending_;  ///< nodes that have ended, and whose followers do not know
  std::size_t ended_ = 0;
  std::size_t first_waiting_ = 0;
};

// One rank's nodes, performed by its program alone or by several lanes.

/// Items that a node has in scratch space for itself.
std::size_t room_of(const Node& node, const Trace& trace, const Options& options);

/// Threads that see to the messages of a rank of several lanes.
int carriers_of(const Trace& trace);

/// Non-blocking collectives of a program that may be in flight.
inline constexpr int most_in_flight = 32;

/// The rank's nodes, as a program of one thread.
Task run_program(Communicator comm, Workspace work, Options options);

/// The same with lanes that run at once, each a thread of the rank.
Task run_lanes(Communicator comm, Workspace work, Options options);

}  // namespace ringscope::traces
