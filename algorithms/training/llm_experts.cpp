// SPDX-License-Identifier: LGPL-2.1-or-later
// Experts in place of a layer's MLP, cut over the ranks of an expert group (expert parallelism): a
// router chooses some experts for each token; an all-to-all takes tokens to the ranks of theirs,
// and another one what these made of them back. Sizes differ, since some experts are chosen more
// often.
//
// Sources: Lepikhin et al., "GShard", ICLR 2021, arXiv:2006.16668, section 3; Fedus et al., "Switch
// transformers", JMLR 2022, arXiv:2101.03961, section 2.2 (capacity). With tensor groups, as
// MoEAlltoAllTokenDispatcher in Megatron's transformer/moe/token_dispatcher.py: each rank sends the
// tokens of its part of the sequence; those that have come are gathered over the tensor group,
// whose ranks have a part of each expert, and what they add up to is scattered again. Cost for a
// micro-batch and layer: two all-to-alls forward, two backward.
#include "algorithms/training/llm_experts.hpp"

#include <algorithm>

#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm_device.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

/// Tokens to their experts' ranks, or back: `vector` is what the rank that sends most sends.
Task exchange_tokens(LlmDevice d, const PairSizes* sizes, Range vector) {
  Options options = d->options;
  options.sizes = sizes;
  const Workspace work = {vector, d->at.scratch};
  return on_group(d->expert, expert_exchange_of(d->step), work, options);
}

Task over_tensor_group(LlmDevice d, const Algorithm* how, Range range) {
  const Workspace work = {range, d->at.scratch};
  if (d->tensor.size() > 1) co_await on_group(d->tensor, *how, work, d->options);
}

const Algorithm* scatter_sum(LlmDevice d) {
  return halves_of(tensor_exchange_of(d->step)).reduce_scatter;
}
const Algorithm* gather(LlmDevice d) { return halves_of(tensor_exchange_of(d->step)).allgather; }

/// There, through the experts, and back.
Task through_experts(LlmDevice d, Duration time, std::size_t bytes) {
  const Experts& experts = d->step.experts;
  co_await exchange_tokens(d, experts.dispatch.get(), d->at.tokens_sent);
  co_await over_tensor_group(d, gather(d), d->at.tokens_here);
  co_await d->comm.compute(time, bytes);
  co_await over_tensor_group(d, scatter_sum(d), d->at.tokens_here);
  co_await exchange_tokens(d, experts.combine.get(), d->at.tokens_returned);
}

const Pass& pass_of(LlmDevice d) { return d->step.experts.passes[d->expert.rank()]; }

Options with_sizes(Options options, const PairSizes* sizes) {
  options.sizes = sizes;
  return options;
}

}  // namespace

Task experts_forward(LlmDevice d, Range activations) {
  co_await over_tensor_group(d, scatter_sum(d), activations);
  co_await through_experts(d, pass_of(d).forward, pass_of(d).bytes);
  const Range gathered = activations.first(gathered_items(d->step, activations.size));
  co_await over_tensor_group(d, gather(d), gathered);
}

/// Gradients come in parts from the layer behind, and are whole for attention when these are
/// summed.
Task experts_backward(LlmDevice d) {
  co_await through_experts(d, pass_of(d).backward, 2 * pass_of(d).bytes);
}

const Algorithm& expert_exchange_of(const LlmStep& step) {
  const Algorithm* chosen = step.experts.exchange;
  return chosen != nullptr ? *chosen : *find_algorithm("alltoallv", "posted");
}

ExpertItems expert_items(const LlmStep& step, int index, const Options& options) {
  const Experts& experts = step.experts;
  if (experts.ranks == 1) return {};
  const std::size_t sent = items_of(experts.sent, options);
  const PiecesByPair come({}, sent, index, experts.ranks,
                          with_sizes(options, experts.dispatch.get()));
  return {sent, items_of(experts.returned, options), times(step.grid.size("tp"), come.items())};
}

ExpertItems most_expert_items(const LlmStep& step, const Options& options) {
  ExpertItems most;
  for (int index = 0; index < step.experts.ranks; ++index) {
    const ExpertItems one = expert_items(step, index, options);
    most = {std::max(most.sent, one.sent), std::max(most.returned, one.returned),
            std::max(most.here, one.here)};
  }
  return most;
}

Cost expert_layer_cost(const LlmStep& step, int ranks, const Options& options) {
  const Experts& experts = step.experts;
  const int tensor = step.grid.size("tp");
  const std::int64_t groups = ranks / experts.ranks;
  const ExpertItems items = expert_items(step, 0, options);
  const Algorithm& exchange = expert_exchange_of(step);
  const Halves halves = halves_of(tensor_exchange_of(step));
  Cost sum;
  sum += exchange.cost(experts.ranks, items.sent, with_sizes(options, experts.dispatch.get()));
  sum += exchange.cost(experts.ranks, items.returned, with_sizes(options, experts.combine.get()));
  sum = sum * groups;
  for (int index = 0; index < experts.ranks && tensor > 1; ++index) {
    const std::size_t here = expert_items(step, index, options).here;
    for (const Algorithm* half : {halves.reduce_scatter, halves.allgather})
      sum += half->cost(tensor, here, options) * (groups / tensor);
  }
  return sum;
}

std::size_t expert_scratch(const LlmStep& step, const Options& options) {
  const Experts& experts = step.experts;
  if (experts.ranks == 1) return 0;
  const int tensor = step.grid.size("tp");
  const ExpertItems most = most_expert_items(step, options);
  const Algorithm& exchange = expert_exchange_of(step);
  const Halves halves = halves_of(tensor_exchange_of(step));
  return std::max({exchange.scratch_items(experts.ranks, most.sent,
                                          with_sizes(options, experts.dispatch.get())),
                   exchange.scratch_items(experts.ranks, most.returned,
                                          with_sizes(options, experts.combine.get())),
                   halves.reduce_scatter->scratch_items(tensor, most.here, options),
                   halves.allgather->scratch_items(tensor, most.here, options)});
}

}  // namespace ringscope
