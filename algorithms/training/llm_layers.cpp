// SPDX-License-Identifier: LGPL-2.1-or-later
// A layer of a large model, cut over the ranks of a tensor group: Shoeybi et al., "Megatron-LM",
// 2019, arXiv:1909.08053: a sum of the activations after attention and after the MLP, forward and
// backward. Sequence parallelism, Korthikanti et al., 2022, arXiv:2205.05198: a reduce-scatter and
// an allgather in place of each sum. Experts in place of the MLP: llm_experts.cpp.
#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm_device.hpp"

namespace ringscope {
namespace {

/// Sums what the ranks of a tensor group have of an activation, or of its gradient.
Task sum_over_tensor_group(LlmDevice d, Range part) {
  if (d->tensor.size() == 1) co_return;
  const Workspace work = {part, d->at.scratch};
  if (d->step.sequence_parallel) {
    const Halves halves = halves_of(tensor_exchange_of(d->step));
    co_await on_group(d->tensor, *halves.reduce_scatter, work, d->options);
    co_await on_group(d->tensor, *halves.allgather, work, d->options);
  } else {
    co_await on_group(d->tensor, tensor_exchange_of(d->step), work, d->options);
  }
}

}  // namespace

Task layer_forward(LlmDevice d, Range output) {
  co_await d->comm.compute(d->step.attention.forward, d->step.attention.bytes);
  if (d->context.size() > 1) co_await ring_attention_forward(d);
  if (d->step.experts.ranks > 1) {
    co_await experts_forward(d, output);
    co_return;
  }
  co_await sum_over_tensor_group(d, output);
  co_await d->comm.compute(d->step.mlp.forward, d->step.mlp.bytes);
  co_await sum_over_tensor_group(d, output);
}

Task layer_backward(LlmDevice d, Range input_gradient) {
  if (d->step.experts.ranks > 1) {
    co_await experts_backward(d);
  } else {
    co_await d->comm.compute(d->step.mlp.backward, 2 * d->step.mlp.bytes);
    co_await sum_over_tensor_group(d, input_gradient);
  }
  if (d->context.size() > 1) co_await ring_attention_backward(d);
  co_await d->comm.compute(d->step.attention.backward, 2 * d->step.attention.bytes);
  co_await sum_over_tensor_group(d, input_gradient);
}

}  // namespace ringscope
