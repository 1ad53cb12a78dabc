// Chakra's execution traces, one file a rank: NAME.0.et, NAME.1.et, ..., each packed by gzip or
// not.
#pragma once

#include <string>
#include <vector>

#include "scenarios/trace/trace_file.hpp"

namespace ringscope {

/// True if files of such a trace are there.
bool is_chakra(const std::string& files);

/// The names of all traces in a folder.
std::vector<std::string> chakra_names(const std::string& folder);

void read_chakra(const TraceRequest& request, TraceAnswer& into);

}  // namespace ringscope
