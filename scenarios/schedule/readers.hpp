// SPDX-License-Identifier: LGPL-2.1-or-later
// Readers of schedules, one for each tool that writes them. Each fills in the schedule, or the
// trace, and the sizes, and throws InputError, in the file.
#pragma once

#include <memory>
#include <string>

#include "algorithms/traces/trace.hpp"
#include "scenarios/schedule/schedule_file.hpp"

namespace ringscope {

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
