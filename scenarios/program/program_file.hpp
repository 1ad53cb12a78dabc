// SPDX-License-Identifier: LGPL-2.1-or-later
// Programs on groups of ranks, as scenarios write them: `job.program` as a list of steps.
#pragma once

#include <memory>

#include "scenarios/schedule/schedule_file.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// `job.program` with the job's `groups`, `values` and `options`, as a job's schedule. Throws
/// InputError. `nccl`: its collectives are NCCL's where nothing else is said.
std::shared_ptr<const ScheduleFile> read_program_of_steps(Fields& job, const Value& program,
                                                          int ranks, bool nccl = false);

}  // namespace ringscope
