// SPDX-License-Identifier: LGPL-2.1-or-later
// Experts of a large model as a job cuts them over its GPUs, and the tokens that come to each.
#pragma once

#include "scenarios/workload/llm_cut.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Reads `routing` of the options, and checks the cut. Throws InputError.
void read_experts(Fields& options, Cut& cut);

/// Sizes, times and gradients of the experts on each rank of an expert group.
Experts experts_of(const Cut& cut);

}  // namespace ringscope
