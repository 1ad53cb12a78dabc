// SPDX-License-Identifier: LGPL-2.1-or-later
// Attention of a context group, each rank of which has a part of the sequence. Its queries meet the
// keys and values of all parts in one of three ways.
//
// Ring attention: keys and values go round a ring while the block that is there is computed.
// Source: Liu, Zaharia and Abbeel, "Ring Attention with Blockwise Transformers", 2023,
// arXiv:2310.01889, section 3. Backward, as in the paper's appendix: keys and values go round
// again, and their gradients with them, one block behind, up to the rank that they belong to. Cost
// of c ranks, a block of k items: forward c-1 messages of each rank, backward 2c-1, of k items.
//
// Allgather: each rank gets all keys and values, backward again, and a reduce-scatter sums their
// gradients. Source: Llama team, "The Llama 3 herd of models", 2024, arXiv:2407.21783, section
// 3.3.2. Alltoall: each rank gets all tokens of a part of the heads; backward the gradients take
// the ways back. Source: Jacobs et al., "DeepSpeed Ulysses", 2023, arXiv:2309.14509, section 3.
#include "algorithms/training/llm/llm_parts.hpp"

#include <algorithm>
#include <optional>

#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm/llm_device.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

/// Keys, or gradients, that a rank passes on while others come from the one before.
class Passing {
 public:
  Passing(LlmDevice d, Range sent, Range received, int tag = 0)
      : d_(d),
        incoming_(begin_message(d->context, {false, d->context.prev(), received, tag}, d->options)),
        outgoing_(begin_message(d->context, {true, d->context.next(), sent, tag}, d->options)) {}

  Task end() const {
    co_await end_message(d_->context, incoming_);
    co_await end_message(d_->context, outgoing_);
  }

 private:
  LlmDevice d_;
  MessageUnderWay incoming_, outgoing_;
};

Task ring_attention_forward(LlmDevice d) {
  const int blocks = d->context.size();
  Range keys = d->at.keys, next_keys = d->at.next_keys;
  for (int block : d->context.phase("ring attention", blocks)) {
    std::optional<Passing> passing;
    if (block + 1 < blocks) passing.emplace(d, keys, next_keys);
    co_await d->comm.compute(d->step.attention_block.forward, d->step.attention_block.bytes);
    if (passing) co_await passing->end();
    std::swap(keys, next_keys);
  }
}

Task ring_attention_backward(LlmDevice d) {
  constexpr int of_gradients = 1;
  const int blocks = d->context.size();
  Range keys = d->at.keys, next_keys = d->at.next_keys;
  Range gradients = d->at.key_gradients, next_gradients = d->at.next_key_gradients;
  std::optional<Passing> passing_gradients;
  for (int block : d->context.phase("ring attention, backward", blocks)) {
    std::optional<Passing> passing;
    if (block + 1 < blocks) passing.emplace(d, keys, next_keys);
    co_await d->comm.compute(d->step.attention_block.backward, 2 * d->step.attention_block.bytes);
    if (passing_gradients) {
      co_await passing_gradients->end();
      std::swap(gradients, next_gradients);
    }
    passing_gradients.emplace(d, gradients, next_gradients, of_gradients);
    if (passing) co_await passing->end();
    std::swap(keys, next_keys);
  }
  co_await passing_gradients->end();
}

Task on_context(LlmDevice d, const Algorithm* how, std::uint64_t bytes) {
  const Workspace work = {d->at.keys.first(items_of(bytes, d->options)), d->at.scratch};
  if (how != nullptr) co_await on_group(d->context, *how, work, d->options);
}

Task attention_between(LlmDevice d, bool back) {
  const AroundAttention around = around_attention(d->step, back);
  const Pass& block = d->step.attention_block;
  const int blocks = d->context.size();
  co_await on_context(d, around.before, around.bytes_before);
  co_await d->comm.compute(blocks * (back ? block.backward : block.forward),
                           times(back ? 2 * blocks : blocks, block.bytes));
  co_await on_context(d, around.behind, around.bytes_behind);
}

}  // namespace

Task attention_of_context(LlmDevice d, bool back) {
  if (d->step.context_exchange != ContextExchange::ring)
    co_await attention_between(d, back);
  else if (back)
    co_await ring_attention_backward(d);
  else
    co_await ring_attention_forward(d);
}

AroundAttention around_attention(const LlmStep& step, bool back) {
  const std::uint64_t all_keys = times(step.grid.size("cp"), step.keys);
  const std::uint64_t all = step.queries + step.keys;
  const Halves halves = halves_of(tensor_exchange_of(step));
  const Algorithm* exchange = &expert_exchange_of(step);
  switch (step.context_exchange) {
    case ContextExchange::ring:
      return {};
    case ContextExchange::allgather:
      return {halves.allgather, back ? halves.reduce_scatter : nullptr, all_keys,
              back ? all_keys : 0};
    case ContextExchange::alltoall:
      return {exchange, exchange, back ? step.queries : all, back ? all : step.queries};
  }
  return {};
}

std::pair<std::size_t, int> key_items(const LlmStep& step, const Options& options) {
  if (step.context_exchange == ContextExchange::ring) return {items_of(step.keys, options), 4};
  const AroundAttention around = around_attention(step, true);
  return {items_of(std::max(around.bytes_before, around.bytes_behind), options), 1};
}

Cost context_cost(const LlmStep& step, bool back, int ranks, const Options& options) {
  const int context = step.grid.size("cp");
  if (context == 1) return {};
  const AroundAttention around = around_attention(step, back);
  Cost sum;
  if (step.context_exchange == ContextExchange::ring)
    sum = Cost{.messages = 1, .items = items_of(step.keys, options)} *
          ((back ? 2 * context - 1 : context - 1) * context);
  if (around.before != nullptr)
    sum += around.before->cost(context, items_of(around.bytes_before, options), options);
  if (around.behind != nullptr)
    sum += around.behind->cost(context, items_of(around.bytes_behind, options), options);
  return sum * (ranks / context);
}

std::size_t context_scratch(const LlmStep& step, const Options& options) {
  const AroundAttention around = around_attention(step, true);
  if (around.before == nullptr) return 0;
  const std::size_t items = key_items(step, options).first;
  std::size_t most = 0;
  for (const Algorithm* one : {around.before, around.behind})
    most = std::max(most, scratch_on_group(*one, step.grid.size("cp"), items, options));
  return most;
}

}  // namespace ringscope
