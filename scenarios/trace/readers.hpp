// SPDX-License-Identifier: LGPL-2.1-or-later
// Readers of traces, one for each tool that writes them: whether what it reads is there, and its
// reading.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/trace/trace_file.hpp"

namespace ringscope {

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
