// SPDX-License-Identifier: LGPL-2.1-or-later
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
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "algorithms/traces/trace.hpp"
#include "scenarios/schedule/node_counts.hpp"
#include "scenarios/trace/kineto/events.hpp"

namespace ringscope::kineto {

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
