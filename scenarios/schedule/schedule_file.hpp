// SPDX-License-Identifier: LGPL-2.1-or-later
// Schedules in the files of other tools, read with every check that can be made without a clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/schedules/schedule.hpp"
#include "algorithms/traces/trace.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

// Accounts of a trace: what became of each node.

/// Nodes of one kind, of which one thing was made.
struct NodeCount {
  std::string kind;  ///< as the file calls it
  std::string as;    ///< what they are in the simulation
  std::size_t count = 0;
  bool ignored = false;  ///< they take no time, though they may have
};

class NodeCounts {
 public:
  void add(std::string kind, std::string as, bool ignored = false) {
    const auto found = std::ranges::find_if(
        counts_, [&](const NodeCount& one) { return one.kind == kind && one.as == as; });
    if (found != counts_.end())
      ++found->count;
    else
      counts_.push_back({std::move(kind), std::move(as), 1, ignored});
  }
  /// In the order in which they first came.
  const std::vector<NodeCount>& all() const { return counts_; }

 private:
  std::vector<NodeCount> counts_;
};

/// Folder below data_directory().
inline constexpr const char* schedules_folder = "scenarios/schedules";

/// A schedule, and the algorithm that runs it: each points to the other, so they stay where they
/// are.
struct ScheduleFile {
  ScheduleFile() = default;
  ScheduleFile& operator=(ScheduleFile&&) = delete;  ///< neither copied nor moved

  std::string file;                 ///< as the scenario calls it
  std::vector<std::string> read{};  ///< paths of all files that it stands in
  schedules::Schedule schedule;
  Algorithm algorithm;
  /// Sizes at which its library takes it.
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();
  std::vector<NodeCount> node_counts{};  ///< of a trace: what became of its nodes
  std::vector<std::string> warnings{};   ///< of a program
};

/// The file that `name` means: a path, seen from the file that says so, or a name in
/// data_directory()/scenarios/schedules. Throws InputError: in the file, or at `name`, where it is
/// for another number of ranks.
std::shared_ptr<const ScheduleFile> read_schedule(const Value& name, int ranks);

/// Reads a text by the ending of its source's name. Throws InputError.
void read_schedule_text(const std::shared_ptr<const Source>& source, ScheduleFile& into);

/// Whether the vector is a multiple of the schedule's chunks.
inline bool has_whole_chunks(std::uint64_t bytes, const ScheduleFile& file) {
  return bytes % static_cast<std::uint64_t>(file.schedule.chunks) == 0;
}
/// Throws at `size` unless it has_whole_chunks().
void require_whole_chunks(const Value& size, std::uint64_t bytes, const ScheduleFile& file);

// Readers of schedules, one for each tool that writes them. Each fills in the schedule, or the
// trace, and the sizes, and throws InputError, in the file.

/// MSCCL's XML: the thread blocks of each GPU, step by step.
void read_msccl(const std::shared_ptr<const Source>& source, ScheduleFile& into);

/// MSCCL++'s execution plans, as far as they are of packets, puts and gets by channels, copies,
/// reductions and barriers.
void read_mscclpp(const std::shared_ptr<const Source>& source, ScheduleFile& into);

/// GOAL, the text that LogGOPSim's txt2bin reads: messages and calculations of each rank.
void read_goal(const std::shared_ptr<const Source>& source, ScheduleFile& into);

/// Messages and calculations as such a text, `about` in its first comment. Items are bytes.
std::string to_goal(const traces::Trace& trace, const std::string& about);

}  // namespace ringscope
