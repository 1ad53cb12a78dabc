// SPDX-License-Identifier: LGPL-2.1-or-later
// One rank's nodes, performed by its program alone or by several lanes.
#pragma once

#include "algorithms/traces/trace.hpp"

namespace ringscope::traces {

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
