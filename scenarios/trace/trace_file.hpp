// SPDX-License-Identifier: LGPL-2.1-or-later
// Traces in the files of other tools, and of recorded programs, as jobs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/traces/trace.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Folder below data_directory().
inline constexpr const char* traces_folder = "scenarios/traces";

/// Question to a reader.
struct TraceRequest {
  Place place;               ///< of the word that names the trace, for errors about no file
  std::string files;         ///< their path: a folder, or what the names of all begin with
  int ranks = 1;             ///< of the job
  int every_rank_as = -1;    ///< all ranks do what this one did; -1: each what it did itself
  std::string groups;        ///< a file of groups; "": the one beside the trace, if there is one
  bool ctrl_deps = false;    ///< Chakra: nodes wait for these, too
  bool nccl = false;         ///< a GPU's collectives are NCCL's where the user says nothing else
  double compute_scale = 1;  ///< of the time of computations; readers leave it alone
  /// By the name of a collective; those that the user chose.
  std::map<std::string, const Algorithm*, std::less<>> algorithms{};

  template <typename... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> why, Parts&&... parts) const {
    throw InputError(place, fmt::format(why, std::forward<Parts>(parts)...));
  }
  /// The user's choice, or the given one.
  const Algorithm* algorithm(std::string_view collective, std::string_view otherwise) const;
  /// The same of a GPU's collective: NCCL's before the given one.
  const Algorithm* on_gpus(std::string_view collective, std::string_view otherwise) const;
};

/// A reader's answer.
struct TraceAnswer {
  traces::Trace trace;
  /// Words for a node in errors, and its file.
  std::function<std::string(traces::NodeId)> words;
  std::function<Place(traces::NodeId)> place;
  NodeCounts counts{};
  std::vector<std::string> read{};  ///< paths of all files
};

/// `job.trace` as a job's schedule; `nccl`: TraceRequest::nccl. Throws InputError.
std::shared_ptr<const ScheduleFile> read_trace(Fields& job, const Value& value, int ranks,
                                               bool nccl = false);

// Readers of traces, one for each tool that writes them: whether what it reads is there, and its
// reading.

/// Recorded MPI programs: a folder of calls.0, ... (validation/executors/mpi/record/calls.md).
bool is_recorded(const std::string& folder);
void read_recorded(const TraceRequest& request, TraceAnswer& into);

/// Chakra's execution traces, one file a rank: NAME.0.et, NAME.1.et, ..., each packed by gzip or
/// not.
bool is_chakra(const std::string& files);
void read_chakra(const TraceRequest& request, TraceAnswer& into);

/// PyTorch's profiler's (Kineto's): NAME.0.json, NAME.1.json, ..., each packed by gzip or not.
bool is_kineto(const std::string& files);
void read_kineto(const TraceRequest& request, TraceAnswer& into);

/// Files of a trace by their names: NAME.R and one of these endings, for rank R.
using RankFiles = std::map<int, std::string>;
RankFiles rank_files(const std::string& files, std::span<const std::string_view> endings);
/// The files that are read, one for each rank of the job, or one for all.
std::vector<std::string> chosen_files(const TraceRequest& request, const RankFiles& files);

/// The bytes of a file that gzip may have packed, unpacked. Throws InputError.
std::string read_packed_file(const std::string& path);

/// Names of all traces of one file a rank in a folder.
std::vector<std::string> trace_names(const std::string& folder);

}  // namespace ringscope
