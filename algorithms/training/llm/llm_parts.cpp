// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/training/llm/llm_parts.hpp"

#include <utility>

#include "algorithms/groups/on_group.hpp"
#include "algorithms/steps/ring_steps.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

/// Activations and gradients of them that a stage has room for.
std::size_t activations_of(const LlmStep& step) {
  return step.schedule == PipelineSchedule::interleaved ? 4 + 2 * passes_in_flight : 4;
}

const Algorithm& or_ring(const Algorithm* chosen) {
  return chosen != nullptr ? *chosen : *find_algorithm("allreduce", "ring");
}

std::size_t activation_items(const LlmStep& step, const Options& options) {
  return items_of(step.activation, options);
}

/// Collectives one after the other on the same vector, the groups being of `ranks` each.
using Sequence = std::vector<const Algorithm*>;

Sequence halves(const Algorithm& allreduce) {
  const auto [reduce_scatter, allgather] = halves_of(allreduce);
  return {reduce_scatter, allgather};
}

Sequence on_tensor_group(const LlmStep& step) {
  const Algorithm& exchange = tensor_exchange_of(step);
  return step.sequence_parallel ? halves(exchange) : Sequence{&exchange};
}

Sequence on_data_group(const LlmStep& step) {
  return step.zero == 1 ? halves(exchange_of(step)) : Sequence{&exchange_of(step)};
}

std::size_t scratch_of(const Sequence& sequence, int ranks, std::size_t items,
                       const Options& options) {
  std::size_t most = 0;
  for (const Algorithm* one : sequence)
    most = std::max(most, scratch_on_group(*one, ranks, items, options));
  return most;
}

std::size_t items_of_unit(const LlmStep& step, std::size_t unit, const Options& options) {
  return items_of(step.units[unit].gradients, options);
}

std::size_t largest_unit(const LlmStep& step, const Options& options) {
  std::size_t most = 0;
  for (std::size_t unit = 0; unit < step.units.size(); ++unit)
    most = std::max(most, items_of_unit(step, unit, options));
  return most;
}

int units_at_once(const LlmStep& step) { return step.zero == 3 ? step.prefetch + 1 : 0; }

std::size_t exchange_scratch_items(const LlmStep& step, const Options& options) {
  if (step.overlap_gradients) {
    std::size_t most = 0;
    for (int stage = 0; stage < step.grid.size("pp"); ++stage)
      most = std::max(most, items_of(step.gradients[stage], options));
    return scratch_of(halves(exchange_of(step)), ranks_of_data(step), most, options);
  }
  if (step.zero < 2) return 0;
  const int shard = shard_of(step), replicas = ranks_of_data(step) / shard;
  const std::size_t unit = largest_unit(step, options);
  return std::max(
      scratch_of(halves(exchange_of(step)), shard, unit, options),
      scratch_of({&exchange_of(step)}, replicas, ring_chunk_items(shard, unit), options));
}

/// Items that ZeRO 2 and 3 need beside the activations, and behind them.
struct ShardedItems {
  std::size_t gathered, gradients, scratch;
  std::size_t sum() const { return gathered + gradients + scratch; }
};
ShardedItems sharded_items(const LlmStep& step, const Options& options) {
  const std::size_t unit = largest_unit(step, options);
  return {times(units_at_once(step), unit), step.zero >= 2 && step.micro_batches > 1 ? unit : 0,
          exchange_scratch_items(step, options)};
}

/// One reduce-scatter of each micro-batch and, with ZeRO 3, two allgathers; of each step the sum
/// over replicas and, with ZeRO 2, an allgather.
Cost sharded_cost(const LlmStep& step, int ranks, const Options& options) {
  const int shard = shard_of(step), replicas = ranks_of_data(step) / shard;
  const std::int64_t groups = ranks / shard, micro_batches = step.micro_batches;
  const auto [scatter, gather] = halves_of(exchange_of(step));
  Cost sum, scatters;
  for (std::size_t unit = 0; unit < step.units.size(); ++unit) {
    const std::size_t items = items_of_unit(step, unit, options);
    if (items == 0) continue;
    scatters += scatter->cost(shard, items, options) * micro_batches;
    sum +=
        gather->cost(shard, items, options) * (groups * (step.zero == 3 ? 2 * micro_batches : 1));
    for (int part = 0; part < shard && replicas > 1; ++part)
      sum += exchange_of(step).cost(replicas, Chunks({.size = items}, shard)[part].size, options) *
             (groups / replicas);
  }
  sum += scatters * groups;
  sum.steps = scatters.steps;
  return sum;
}

/// Messages of a rank outstanding while it computes: keys and their gradients, each way, and
/// of an interleaved pipeline what comes and what has gone.
int messages_under_way(const LlmStep* step) {
  if (step == nullptr) return 0;
  const bool ring = step->context_exchange == ContextExchange::ring;
  const int keys = ring && step->grid.size("cp") > 1 ? 2 * 2 : 0;
  if (step->schedule != PipelineSchedule::interleaved || step->grid.size("pp") == 1) return keys;
  return keys + 2 * (1 + static_cast<int>(passes_in_flight));
}

}  // namespace

int llm_threads(const Options& options) {
  const LlmStep* step = options.training != nullptr ? options.training->llm.get() : nullptr;
  int streams = 1;
  if (step != nullptr && (step->zero >= 2 || step->overlap_gradients)) ++streams;
  if (step != nullptr && step->tensor_overlap) ++streams;
  return streams + (has_input(options) ? 1 : 0) + threads_of_groups(options, streams) +
         threads_of_messages(options, messages_under_way(step));
}

Range unit_range(const LlmStep& step, Range gradients, std::size_t unit, const Options& options) {
  std::size_t offset = gradients.offset;
  for (std::size_t before = 0; before < unit; ++before)
    offset += items_of_unit(step, before, options);
  return {gradients.buffer, offset, items_of_unit(step, unit, options)};
}

Range gathered_range(const LlmStep& step, const LlmBuffers& at, std::size_t slot,
                     std::size_t items) {
  return at.gathered.part(slot, units_at_once(step)).first(items);
}

LlmStep llm_step_of(const Options& options, int ranks) {
  if (options.training != nullptr && options.training->llm) return *options.training->llm;
  LlmStep plain;
  plain.grid = Grid({{"dp", ranks}});
  const Training job = training_of(options);
  plain.exchange = job.exchange;
  for (const Layer& layer : job.layers) {
    plain.head.forward += layer.forward;
    plain.head.backward += layer.backward;
  }
  return plain;
}

const Algorithm& exchange_of(const LlmStep& step) { return or_ring(step.exchange); }
const Algorithm& tensor_exchange_of(const LlmStep& step) { return or_ring(step.tensor_exchange); }

Halves halves_of(const Algorithm& allreduce) {
  const std::string_view name = allreduce.one_channel ? allreduce.name : "ring";
  return {find_algorithm("reduce_scatter", name), find_algorithm("allgather", name)};
}

std::size_t expert_gradients(const LlmStep& step, int stage, const Options& options) {
  return step.experts.ranks == 1 ? 0 : items_of(step.experts.gradients[stage], options);
}

LlmBuffers llm_buffers(Workspace work, const LlmStep& step, int stage, int expert,
                       const Options& options) {
  const std::size_t items = activation_items(step, options);
  const auto activation = [&](std::size_t i) {
    return Range{work.scratch.buffer, work.scratch.offset + i * items, items};
  };
  LlmBuffers buffers;
  buffers.gradients = work.data;
  if (!step.gradients.empty())
    buffers.gradients = work.data.first(items_of(step.gradients[stage], options));
  const std::size_t own = buffers.gradients.size,
                    of_experts = std::min(own, expert_gradients(step, stage, options));
  buffers.expert_gradients = {work.data.buffer, work.data.offset + own - of_experts, of_experts};
  buffers.gradients = buffers.gradients.first(own - of_experts);
  buffers.input = activation(0);
  buffers.output = activation(1);
  buffers.output_gradient = activation(2);
  buffers.input_gradient = activation(3);
  const std::size_t all = activations_of(step);
  if (step.schedule == PipelineSchedule::interleaved) {
    buffers.next_input = activation(1);
    buffers.next_output_gradient = activation(3);
    for (std::size_t i = 0; i < passes_in_flight; ++i) {
      buffers.outputs[i] = activation(4 + i);
      buffers.input_gradients[i] = activation(4 + passes_in_flight + i);
    }
  }
  std::size_t used = all * items;
  const auto take = [&](std::size_t size) {
    return Range{work.scratch.buffer, work.scratch.offset + std::exchange(used, used + size), size};
  };
  const auto [keys, blocks] = key_items(step, options);
  for (Range* each :
       {&buffers.keys, &buffers.next_keys, &buffers.key_gradients, &buffers.next_key_gradients})
    *each = take(each == &buffers.keys || blocks > 1 ? keys : 0);
  const ShardedItems sharded = sharded_items(step, options);
  buffers.gathered = take(sharded.gathered);
  buffers.unit_gradients = take(sharded.gradients);
  buffers.exchange_scratch = take(sharded.scratch);
  buffers.check = take(check_items(step, options));
  const ExpertItems tokens = expert_items(step, expert, options);
  buffers.tokens = take(tokens.sent);
  buffers.tokens_here = take(tokens.here);
  buffers.scratch = take(work.scratch.size - used);
  return buffers;
}

/// Cost for the gradients of a stage, which with overlap go layer by layer.
Cost in_buckets(const Algorithm& exchange, const LlmStep& step, int stage, std::size_t items,
                const Options& options) {
  int buckets = 0;
  for (int part = 0; part < step.parts; ++part) buckets += step.layers(stage, part);
  if (!step.overlap_gradients) buckets = 1;
  Cost sum;
  for (int bucket = 0; bucket < buckets; ++bucket)
    sum += exchange.cost(ranks_of_data(step), Range{.size = items}.part(bucket, buckets).size,
                         options);
  return sum;
}

Cost llm_cost(int ranks, std::size_t items, Options options) {
  const LlmStep step = llm_step_of(options, ranks);
  options = without_hosts(options);
  const int tensor = step.grid.size("tp"), data = ranks_of_data(step),
            stages = step.grid.size("pp");
  const std::size_t activation = activation_items(step, options);
  const int experts = step.experts.ranks, sums = experts > 1 ? 2 : 4;
  const std::int64_t passes = std::int64_t{1} * step.all_layers() * step.micro_batches;
  const std::int64_t again = std::int64_t{1} * step.all_repeated() * step.micro_batches;
  Cost sum = Cost{.messages = 1, .items = sent_items(step, options)} *
             (std::int64_t{2} * (stages * step.parts - 1) * step.micro_batches * tensor * data);
  sum += context_cost(step, false, ranks / stages, options) * (passes + again);
  sum += context_cost(step, true, ranks / stages, options) * passes;
  for (const Algorithm* one : on_tensor_group(step)) {
    const bool gathers = one->collective == "allgather";
    const std::size_t carried = gathers ? gathered_items(step, activation) : activation;
    if (tensor > 1)
      sum += one->cost(tensor, carried, options) * ((sums * passes + sums / 2 * again) * data);
  }
  if (experts > 1) sum += expert_layer_cost(step, ranks / stages, options) * (2 * passes + again);
  std::int64_t steps = 0;
  for (int stage = 0; stage < stages && step.zero < 2; ++stage) {
    const std::size_t own =
        step.gradients.empty() ? items : items_of(step.gradients[stage], options);
    const std::size_t of_experts = std::min(own, expert_gradients(step, stage, options));
    Cost dense, sparse;
    for (const Algorithm* one : on_data_group(step)) {
      dense += in_buckets(*one, step, stage, own - of_experts, options);
      if (experts > 1) sparse += one->cost(data / experts, of_experts, options);
    }
    sum += dense * tensor;
    sum += sparse * (tensor * experts);
    steps = std::max(steps, dense.steps);
  }
  const Cost sharded = step.zero >= 2 ? sharded_cost(step, ranks, options) : Cost{};
  sum += sharded;
  sum += checks_cost(step, ranks, options);
  sum.steps = std::max(steps, sharded.steps);
  return sum * options.steps;
}

std::size_t llm_scratch(int ranks, std::size_t items, Options options) {
  const LlmStep step = llm_step_of(options, ranks);
  options = without_hosts(options);
  const std::size_t activation = activation_items(step, options);
  const int tensor = step.grid.size("tp");
  const ExpertItems tokens = most_expert_items(step, options);
  const auto [keys, blocks] = key_items(step, options);
  return activations_of(step) * activation + times(blocks, keys) +
         sharded_items(step, options).sum() + tokens.sent + tokens.here +
         check_items(step, options) +
         std::max({scratch_of(on_data_group(step), ranks_of_data(step), items, options),
                   scratch_of(on_data_group(step), ranks_of_data(step) / step.experts.ranks, items,
                              options),
                   tensor > 1 ? scratch_of(on_tensor_group(step), tensor, activation, options) : 0,
                   expert_scratch(step, options), context_scratch(step, options),
                   checks_scratch(step, options)});
}

}  // namespace ringscope
