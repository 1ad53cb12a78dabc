// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of a large model's passes and of its update on one GPU, and the memory that it takes there.
#pragma once

#include "scenarios/workload/llm_cut.hpp"

namespace ringscope {

/// A layer's attention, for all tokens of a rank; what `block_pass` takes is left out with cp.
Pass attention_pass(const Cut& cut);
/// Queries of a rank and keys of one rank of its context group.
Pass block_pass(const Cut& cut);
/// MLP, or the experts of a rank to which `load` times the even share of the tokens comes.
Pass mlp_pass(const Cut& cut, double load);
/// Output layer and loss.
Pass head_pass(const Cut& cut);

/// Adam on a rank of the stage, with the norm of its gradients.
Duration update_of(const Cut& cut, int stage);

/// Bytes of a GPU of that stage.
StageMemory memory_of(const Cut& cut, int stage);
/// The stage that needs most, the first of equal ones.
StageMemory most_memory(const Cut& cut);

}  // namespace ringscope
