// Recorded MPI programs: a folder with calls.0, calls.1, ... (validation/mpi/record/calls.md).
#pragma once

#include <string>

#include "scenarios/trace/trace_file.hpp"

namespace ringscope {

/// True if a rank's calls are there.
bool is_recorded(const std::string& folder);

void read_recorded(const TraceRequest& request, TraceAnswer& into);

}  // namespace ringscope
