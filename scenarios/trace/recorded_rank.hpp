// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls of one rank as nodes of a trace.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/trace/recorded/groups.hpp"
#include "scenarios/trace/trace_file.hpp"

namespace ringscope::recorded {

/// One rank's part in a collective, to be compared with that of the others. Where ranks have parts
/// of different sizes, what a rank gets only the others know: it is filled in when all are read.
struct Part {
  std::string_view name;  ///< of the call, without the i of one that does not block
  int line = 0;
  int root = -1;
  std::uint64_t bytes = 0;       ///< of this rank
  Table<std::uint64_t> parts{};  ///< alltoallv: to each rank
  std::vector<int> nodes{};      ///< whose sizes the others say
};

/// All that is made of a rank's file.
struct Rank {
  Table<traces::Node> nodes;
  Table<int> lines;                         ///< by node
  std::map<int, std::vector<Part>> groups;  ///< by group: its collectives
};

struct Settings {
  const TraceRequest* request = nullptr;
  std::string_view mpi;  ///< the library's own words
};

/// Sets the size of a message whose size the other end says; one without bytes is not sent.
void set_size(traces::Node& node, std::uint64_t bytes);

/// The node of a collective of `bytes` as the library would do it.
void set_collective(traces::Node& node, const Settings& settings, std::string_view collective,
                    int ranks, std::uint64_t bytes);

/// Reads a file to its end. Throws InputError.
Rank read_rank(File& file, const Settings& settings, Groups& groups, NodeCounts& counts);

}  // namespace ringscope::recorded
