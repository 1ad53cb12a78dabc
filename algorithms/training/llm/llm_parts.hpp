// SPDX-License-Identifier: LGPL-2.1-or-later
// Buffers, counts and costs of a training step of a large language model, beside its program.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "algorithms/steps/interleaved_order.hpp"
#include "algorithms/training/llm/llm.hpp"

namespace ringscope {

/// The step of the job's training; without one, all ranks are a data group whose gradients are the
/// whole vector.
LlmStep llm_step_of(const Options& options, int ranks);

/// A kind of groups that the ranks of a step form.
struct LlmGroups {
  const char* name;
  int within;          ///< number of the kind that it splits; -1: all ranks
  Sides sides;         ///< none: not split
  bool alone = false;  ///< not split, a rank is alone; else it is with all others
};
/// All kinds, in the order of LlmRank's communicators.
std::vector<LlmGroups> llm_kinds(const LlmStep& step);

/// Groups that have collectives.
std::vector<RankGroup> llm_groups(int ranks, const Options& options);

const Algorithm& exchange_of(const LlmStep& step);
const Algorithm& tensor_exchange_of(const LlmStep& step);
/// The two halves of an allreduce: NCCL's where it is, else rings.
struct Halves {
  const Algorithm* reduce_scatter;
  const Algorithm* allgather;
};
Halves halves_of(const Algorithm& allreduce);

/// A stage may be that many passes ahead of the one that takes what it sends.
inline constexpr std::size_t passes_in_flight = 4;

/// Ranges of a rank: the vector holds gradients, scratch space the activations.
struct LlmBuffers {
  Range gradients;         ///< all of them; or all but those of experts that others have, too,
  Range expert_gradients;  ///< which lie behind
  Range input, output;     ///< activations of a stage
  Range output_gradient, input_gradient;
  // Room that an interleaved pipeline has: for what is received early or still in flight.
  Range next_input, next_output_gradient;
  std::array<Range, passes_in_flight> outputs, input_gradients;
  // Ring attention: a block of keys and values, and its gradients. Else `keys` has the vectors of
  // the collectives around attention, and the others are empty.
  Range keys, next_keys, key_gradients, next_key_gradients;
  // ZeRO 2 and 3: whole units, which one rank alone does not keep.
  Range gathered;          ///< parameters, of as many units as may be there at once
  Range unit_gradients;    ///< of a micro-batch that others follow
  Range exchange_scratch;  ///< of the collectives beside the device's own
  Range check;             ///< a number of all gradients
  Range tokens;            ///< that a rank sends to experts, or back
  Range tokens_here;       ///< that come to the experts of its tensor group
  Range scratch;           ///< of the collectives
};
/// `expert`: the rank's index in its expert group.
LlmBuffers llm_buffers(Workspace work, const LlmStep& step, int stage, int expert,
                       const Options& options);

/// Ranks that have the same parameters.
inline int ranks_of_data(const LlmStep& step) {
  return step.grid.size("dp") * step.grid.size("cp");
}
/// Ranks among which ZeRO 2 and 3 cut what a data group has.
inline int shard_of(const LlmStep& step) {
  return step.zero >= 2 && step.shard > 0 ? step.shard : ranks_of_data(step);
}
/// Items of an allgather of a tensor group, of activations of so many items.
inline std::size_t gathered_items(const LlmStep& step, std::size_t items) {
  return items / step.gathered_by;
}
/// Items of a message between two stages.
std::size_t sent_items(const LlmStep& step, const Options& options);
/// Items of a stage's parameters, at most those of its gradients, which may have larger elements.
std::size_t parameter_items(const LlmStep& step, int stage, Range gradients,
                            const Options& options);
/// Gradients of a unit, in the rank's vector `gradients`.
Range unit_range(const LlmStep& step, Range gradients, std::size_t unit, const Options& options);
/// The first `items` items of place `slot` for gathered parameters.
Range gathered_range(const LlmStep& step, const LlmBuffers& at, std::size_t slot,
                     std::size_t items);

/// Micro-batches that stage `stage` of `stages` takes forward before its first one backward.
inline int warm_up_of(int micro_batches, int stage, int stages) {
  return std::min(micro_batches, stages - 1 - stage);
}

/// The device's own, and that of the exchanges of ZeRO 2 and 3.
int llm_threads(const Options& options);

Cost llm_cost(int ranks, std::size_t items, Options options);
std::size_t llm_scratch(int ranks, std::size_t items, Options options);

// Exchanges of context groups: llm_context.cpp.

/// Collectives of a context group around attention, whose keys do not go round a ring.
struct AroundAttention {
  const Algorithm *before = nullptr, *behind = nullptr;  ///< null: none
  std::uint64_t bytes_before = 0, bytes_behind = 0;      ///< of a rank's vector
};
AroundAttention around_attention(const LlmStep& step, bool back);

/// Items of a vector of keys, and number of such vectors.
std::pair<std::size_t, int> key_items(const LlmStep& step, const Options& options);

/// Messages and items of one layer and micro-batch in one direction, over all `ranks`.
Cost context_cost(const LlmStep& step, bool back, int ranks, const Options& options);
/// Scratch space of their collectives.
std::size_t context_scratch(const LlmStep& step, const Options& options);

// A layer's experts: llm_experts.cpp.

const Algorithm& expert_exchange_of(const LlmStep& step);

/// Items of a rank: the most that it sends to experts or back; and what comes to its tensor group,
/// of which it has a part.
struct ExpertItems {
  std::size_t sent = 0, here = 0;
};
/// `index`: the rank's in its expert group.
ExpertItems expert_items(const LlmStep& step, int index, const Options& options);
/// The most that any rank has of each.
ExpertItems most_expert_items(const LlmStep& step, const Options& options);

/// All of a layer in one direction, one after the other.
std::vector<TokenExchange> exchanges_of(const Experts& experts);
/// "expert", "expert rail" or "expert host".
const char* name_of(TokenExchange::Group group);

/// Messages and items of one layer and micro-batch in one direction, over all `ranks`.
Cost expert_layer_cost(const LlmStep& step, int ranks, const Options& options);
/// Scratch space of their collectives.
std::size_t expert_scratch(const LlmStep& step, const Options& options);

// Numbers of all gradients: llm_checks.cpp.

/// Kinds of groups whose ranks have different gradients, with their sizes; none without checks.
std::vector<std::pair<const char*, int>> checked_groups(const LlmStep& step);

/// Bytes of one number.
inline constexpr std::uint64_t check_bytes = 4;
/// Its items; 0 without checks.
std::size_t check_items(const LlmStep& step, const Options& options);

/// Cost of one step on all groups of `ranks` ranks.
Cost checks_cost(const LlmStep& step, int ranks, const Options& options);
std::size_t checks_scratch(const LlmStep& step, const Options& options);

}  // namespace ringscope
