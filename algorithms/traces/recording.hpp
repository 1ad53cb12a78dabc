// SPDX-License-Identifier: LGPL-2.1-or-later
// The program of each rank as a graph of messages and calculations: what is posted after what was
// waited for.
#pragma once

#include <functional>
#include <stdexcept>

#include "algorithms/traces/trace.hpp"

namespace ringscope::traces {

/// The program does what no graph says.
class NoGraph : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Time of a reduction or a copy.
using LocalCost = std::function<Duration(const Operation&)>;

/// Graph of a program that asks what came first, or has threads: none; one in which requests come
/// in the order in which they were posted (likely), or are not waited for (least). Then a thread
/// goes on from its start and does not wait for flags.
enum class Unordered { none, likely, least };

/// Nodes of one rank of `size`; their times are whole nanoseconds. Throws NoGraph.
std::vector<Node> recorded(int rank, int size, const std::function<Task(Communicator)>& program,
                           const LocalCost& cost, Unordered unordered = Unordered::none);

}  // namespace ringscope::traces
