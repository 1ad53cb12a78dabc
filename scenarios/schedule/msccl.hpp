// SPDX-License-Identifier: LGPL-2.1-or-later
// MSCCL's XML: the thread blocks of each GPU, step by step.
#pragma once

#include "scenarios/schedule/schedule_file.hpp"

namespace ringscope {

/// Fills in the schedule and the sizes. Throws InputError, in the file.
void read_msccl(const std::shared_ptr<const Source>& source, ScheduleFile& into);

}  // namespace ringscope
