// SPDX-License-Identifier: LGPL-2.1-or-later
// A layer of a large model, cut over the ranks of a tensor group: Shoeybi et al., "Megatron-LM",
// 2019, arXiv:1909.08053: a sum of the activations after attention and after the MLP, forward and
// backward. Sequence parallelism, Korthikanti et al., 2022, arXiv:2205.05198: a reduce-scatter and
// an allgather in place of each sum. Experts in place of the MLP: llm_experts.cpp;
// attention of a context group: llm_context.cpp.
#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm/llm_device.hpp"

namespace ringscope {
namespace {

/// Sums what the ranks of a tensor group have of an activation, or of its gradient.
Task sum_over_tensor_group(LlmDevice d, Range part) {
  if (d->tensor.size() == 1) co_return;
  const Workspace work = {part, d->at.scratch};
  if (d->step.sequence_parallel) {
    const Halves halves = halves_of(tensor_exchange_of(d->step));
    co_await on_group(d->tensor, *halves.reduce_scatter, work, d->options);
    const Workspace gathered = {part.first(gathered_items(d->step, part.size)), work.scratch};
    co_await on_group(d->tensor, *halves.allgather, gathered, d->options);
  } else {
    co_await on_group(d->tensor, tensor_exchange_of(d->step), work, d->options);
  }
}

Task sum_beside(LlmRank self, Range part) { co_await sum_over_tensor_group(&self, part); }

/// Half of a layer. Where its products overlap with its exchange, they work on parts of the tokens,
/// and one part is exchanged before any product or behind all: userbuffers of Transformer Engine.
Task compute_and_sum(LlmDevice d, Duration time, std::size_t bytes, Range part) {
  if (d->step.tensor_overlap && d->tensor.size() > 1) {
    const Range first = part.part(0, d->tensor.size());
    const Range others = {part.buffer, first.offset + first.size, part.size - first.size};
    co_await sum_over_tensor_group(d, first);
    const Thread sum = d->comm.start(sum_beside(d->on_stream(), others), Beside::thread);
    co_await d->comm.compute(time, bytes);
    co_await d->comm.join(sum);
  } else {
    co_await d->comm.compute(time, bytes);
    co_await sum_over_tensor_group(d, part);
  }
}

}  // namespace

Task layer_forward(LlmDevice d, Range output) {
  const Pass &attention = d->step.attention, &mlp = d->step.mlp;
  const bool cut = d->context.size() > 1, experts = d->step.experts.ranks > 1;
  if (cut || experts) {
    co_await d->comm.compute(attention.forward, attention.bytes);
    if (cut) co_await attention_of_context(d, false);
  }
  if (experts) {
    co_await experts_forward(d, output);
    co_return;
  }
  if (cut)
    co_await sum_over_tensor_group(d, output);
  else
    co_await compute_and_sum(d, attention.forward, attention.bytes, output);
  co_await compute_and_sum(d, mlp.forward, mlp.bytes, output);
}

Task layer_backward(LlmDevice d, Range input_gradient) {
  const Pass &attention = d->step.attention, &mlp = d->step.mlp;
  if (d->step.experts.ranks > 1)
    co_await experts_backward(d);
  else
    co_await compute_and_sum(d, mlp.backward, 2 * mlp.bytes, input_gradient);
  if (d->context.size() > 1) co_await attention_of_context(d, true);
  co_await compute_and_sum(d, attention.backward, 2 * attention.bytes, input_gradient);
}

}  // namespace ringscope
