// SPDX-License-Identifier: LGPL-2.1-or-later
// MSCCL++'s execution plans, as far as they are of packets, puts and gets by channels,
// copies, reductions and barriers.
#pragma once

#include "scenarios/schedule/schedule_file.hpp"

namespace ringscope {

/// Fills in the schedule and the sizes. Throws InputError, in the file.
void read_mscclpp(const std::shared_ptr<const Source>& source, ScheduleFile& into);

}  // namespace ringscope
