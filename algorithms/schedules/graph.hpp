// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages and calculations of ranks with what each waits for, as GOAL writes them; they run as any
// algorithm does. No data has a meaning: a graph is timed, not checked.
// Source: Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", ICPP 2009; the order of
// what may go at once: spcl/LogGOPSim, src/LogGOPSim/LogGOPSim.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/schedules/schedule.hpp"

namespace ringscope::schedules {

struct Node {
  enum class Kind : std::uint8_t { send, receive, calculate };
  Kind kind{};
  std::uint64_t size = 0;  ///< items; nanoseconds of a calculation
  int peer = -1;           ///< of a message; any_source
  int tag = 0;
  std::vector<int> after{};         ///< nodes of the rank that have to be done
  std::vector<int> after_starts{};  ///< those that have to be begun
};

struct Graph {
  std::vector<std::vector<Node>> ranks;
};

/// Items of the longest message, and at least 1.
std::uint64_t largest_message(const Graph& graph);

/// The algorithm of a schedule that has a graph (schedule.hpp).
Algorithm algorithm_of_graph(const Schedule& schedule);

/// A node of a rank that waits for itself, through others; or -1.
struct NodeId {
  int rank = -1, node = -1;
};
NodeId in_a_circle(const Graph& graph);

}  // namespace ringscope::schedules
