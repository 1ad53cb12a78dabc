// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory that a step of a large model takes on a GPU.
#pragma once

#include "scenarios/workload/llm_cut.hpp"

namespace ringscope {

/// Bytes of a GPU of that stage.
StageMemory memory_of(const Cut& cut, int stage);

/// The stage that needs most, the first of equal ones.
StageMemory most_memory(const Cut& cut);

/// Throws InputError at `place`, with the sum, where a stage does not fit.
void require_memory(const Value& place, const Cut& cut);

}  // namespace ringscope
