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
// whose ranks have a part of each expert, and what they add up to is scattered again. Through
// hosts, as the normal kernels of deepseek-ai/DeepEP (README.md): a token goes to each host once,
// and from there to the ranks of its experts. Cost for a micro-batch and layer: two all-to-alls
// forward, two backward; through hosts twice as many.
#include "algorithms/training/llm/llm_parts.hpp"

#include <algorithm>

#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm/llm_device.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

Options with_sizes(Options options, const TokenExchange::Sizes& sizes) {
  options.sizes = sizes.pairs.get();
  return options;
}

/// `index`: a rank's in its expert group.
const TokenExchange::Sizes& sizes_of(const TokenExchange& exchange, int index) {
  return exchange.sizes.size() == 1 ? exchange.sizes[0] : exchange.sizes[index / exchange.ranks];
}

const Communicator& group_of(LlmDevice d, TokenExchange::Group group) {
  if (group == TokenExchange::Group::rail) return d->rail;
  return group == TokenExchange::Group::host ? d->host : d->expert;
}

/// Tokens to their experts' ranks, or back.
Task exchange_tokens(LlmDevice d, const std::vector<TokenExchange>* exchanges) {
  for (const TokenExchange& each : *exchanges) {
    const TokenExchange::Sizes& sizes = sizes_of(each, d->expert.rank());
    const Workspace work = {d->at.tokens.first(items_of(sizes.bytes, d->options)), d->at.scratch};
    co_await on_group(group_of(d, each.group), expert_exchange_of(d->step), work,
                      with_sizes(d->options, sizes));
  }
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
  co_await exchange_tokens(d, &experts.dispatch);
  co_await over_tensor_group(d, gather(d), d->at.tokens_here);
  co_await d->comm.compute(time, bytes);
  co_await over_tensor_group(d, scatter_sum(d), d->at.tokens_here);
  co_await exchange_tokens(d, &experts.combine);
}

const Pass& pass_of(LlmDevice d) { return d->step.experts.passes[d->expert.rank()]; }

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

std::vector<TokenExchange> exchanges_of(const Experts& experts) {
  std::vector<TokenExchange> all = experts.dispatch;
  all.insert(all.end(), experts.combine.begin(), experts.combine.end());
  return all;
}

const char* name_of(TokenExchange::Group group) {
  constexpr const char* names[] = {"expert", "expert rail", "expert host"};
  return names[static_cast<int>(group)];
}

ExpertItems expert_items(const LlmStep& step, int index, const Options& options) {
  const Experts& experts = step.experts;
  if (experts.ranks == 1) return {};
  std::size_t sent = 0;
  for (const TokenExchange& each : exchanges_of(experts))
    sent = std::max(sent, items_of(sizes_of(each, index).bytes, options));
  const TokenExchange& last = experts.dispatch.back();
  const TokenExchange::Sizes& sizes = sizes_of(last, index);
  const PiecesByPair come({}, items_of(sizes.bytes, options), index % last.ranks, last.ranks,
                          with_sizes(options, sizes));
  return {sent, times(step.grid.size("tp"), come.items())};
}

ExpertItems most_expert_items(const LlmStep& step, const Options& options) {
  ExpertItems most;
  for (int index = 0; index < step.experts.ranks; ++index) {
    const ExpertItems one = expert_items(step, index, options);
    most = {std::max(most.sent, one.sent), std::max(most.here, one.here)};
  }
  return most;
}

Cost expert_layer_cost(const LlmStep& step, int ranks, const Options& options) {
  const Experts& experts = step.experts;
  const int tensor = step.grid.size("tp");
  const std::int64_t groups = ranks / experts.ranks;
  const Algorithm& exchange = expert_exchange_of(step);
  const Halves halves = halves_of(tensor_exchange_of(step));
  Cost sum;
  for (const TokenExchange& each : exchanges_of(experts))
    for (const TokenExchange::Sizes& sizes : each.sizes)
      sum += exchange.cost(each.ranks, items_of(sizes.bytes, options), with_sizes(options, sizes)) *
             (ranks / each.ranks / std::ssize(each.sizes));
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
  const std::size_t here = most_expert_items(step, options).here;
  const Halves halves = halves_of(tensor_exchange_of(step));
  std::size_t most = std::max(halves.reduce_scatter->scratch_items(tensor, here, options),
                              halves.allgather->scratch_items(tensor, here, options));
  for (const TokenExchange& each : exchanges_of(experts))
    for (const TokenExchange::Sizes& sizes : each.sizes)
      most = std::max(
          most, expert_exchange_of(step).scratch_items(each.ranks, items_of(sizes.bytes, options),
                                                       with_sizes(options, sizes)));
  return most;
}

}  // namespace ringscope
