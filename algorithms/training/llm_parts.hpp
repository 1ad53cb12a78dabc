// Buffers, counts and costs of a training step of a large language model, beside its text.
#pragma once

#include <array>

#include "algorithms/training/interleaved_order.hpp"
#include "algorithms/training/llm.hpp"

namespace ringscope {

/// The step of the job's training; without one, all ranks are a data group whose gradients are the
/// whole vector.
LlmStep llm_step_of(const Options& options, int ranks);

const Algorithm& exchange_of(const LlmStep& step);
const Algorithm& tensor_exchange_of(const LlmStep& step);
const Algorithm& ring_reduce_scatter();
const Algorithm& ring_allgather();

/// A stage may be that many passes ahead of the one that takes what it sends.
inline constexpr std::size_t passes_under_way = 4;

/// Ranges of a rank: the vector holds gradients, scratch space the activations.
struct LlmBuffers {
  Range gradients;
  Range input, output;  ///< activations of a stage
  Range output_gradient, input_gradient;
  // Room that an interleaved pipeline has: for what is received early or still under way.
  Range next_input, next_output_gradient;
  std::array<Range, passes_under_way> outputs, input_gradients;
  Range scratch;  ///< of the collectives
};
LlmBuffers llm_buffers(Workspace work, const LlmStep& step, int stage, const Options& options);

/// Micro-batches that stage `stage` of `stages` takes forward before its first one backward.
inline int warm_up_of(int micro_batches, int stage, int stages) {
  return std::min(micro_batches, stages - 1 - stage);
}

Cost llm_cost(int ranks, std::size_t items, Options options);
std::size_t llm_scratch(int ranks, std::size_t items, Options options);

}  // namespace ringscope
