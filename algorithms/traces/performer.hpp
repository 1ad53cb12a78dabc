// SPDX-License-Identifier: LGPL-2.1-or-later
// One rank's nodes, performed by its program alone or by several lanes.
#pragma once

#include "algorithms/traces/trace.hpp"

namespace ringscope::traces {

/// Items that a node has in scratch space for itself.
std::size_t room_of(const Node& node, const Trace& trace, const Options& options);

/// Nodes of a rank with what they work on.
class RankWork {
 public:
  RankWork(const Trace& trace, Communicator comm, Workspace work, Options options);
  RankWork& operator=(RankWork&&) = delete;  ///< neither copied nor moved

  const Table<Node>& nodes() const { return *nodes_; }
  const Node& node(int number) const { return (*nodes_)[number]; }
  /// Begins a message, and says so.
  Request post(Communicator comm, int number) const;
  Task collective(Communicator comm, int number) const;
  /// A node that is neither a message nor a collective.
  Pending pass(Communicator comm, int number) const;
  /// Says in reports where the rank stands.
  void mark(Communicator comm, int number) const;

 private:
  const Trace* trace_;
  const Table<Node>* nodes_;
  Workspace work_;
  Options options_;
  Table<std::size_t> places_;  ///< in scratch space
  Table<int> tags_;            ///< of collectives
};

/// Messages of a rank of several lanes that may be in flight.
inline constexpr int most_carriers = 64;
/// Threads that see to the messages of a rank of several lanes.
int carriers_of(const Trace& trace);

/// Non-blocking collectives of a program that may be in flight.
inline constexpr int most_in_flight = 32;

/// The rank's nodes, as a program of one thread. `work` outlives it.
Task run_program(Communicator comm, const RankWork* work);

/// The same with lanes that run at once, each a thread of the rank.
Task run_lanes(Communicator comm, const RankWork* work, int lanes, int carriers);

}  // namespace ringscope::traces
