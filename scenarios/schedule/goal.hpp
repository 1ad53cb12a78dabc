// SPDX-License-Identifier: LGPL-2.1-or-later
// GOAL, the text that LogGOPSim's txt2bin reads: messages and calculations of each rank.
#pragma once

#include <string>

#include "algorithms/traces/trace.hpp"
#include "scenarios/schedule/schedule_file.hpp"

namespace ringscope {

/// Fills in the trace. Throws InputError, in the file.
void read_goal(const std::shared_ptr<const Source>& source, ScheduleFile& into);

/// Messages and calculations as such a text, `about` in its first comment. Items are bytes.
std::string to_goal(const traces::Trace& trace, const std::string& about);

}  // namespace ringscope
