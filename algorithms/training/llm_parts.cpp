#include "algorithms/training/llm_parts.hpp"

#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

/// Activations and gradients of them that a stage has room for.
std::size_t activations_of(const LlmStep& step) {
  return step.schedule == Schedule::interleaved ? 4 + 2 * passes_under_way : 4;
}

const Algorithm& or_ring(const Algorithm* chosen) {
  return chosen != nullptr ? *chosen : *find_algorithm("allreduce", "ring");
}

/// Bytes that pass between two stages: with sequence parallelism each rank has its part only.
std::size_t border_items(const LlmStep& step, const Options& options) {
  return items_of(step.activation, options);
}

void add(Cost& sum, const Cost& one, std::int64_t times) {
  sum.messages += one.messages * times;
  sum.items += one.items * static_cast<std::uint64_t>(times);
}

/// Collectives one after the other on the same vector, the groups being of `ranks` each.
using Sequence = std::vector<const Algorithm*>;

Sequence on_tensor_group(const LlmStep& step) {
  if (step.sequence_parallel) return {&ring_reduce_scatter(), &ring_allgather()};
  return {&tensor_exchange_of(step)};
}

Sequence on_data_group(const LlmStep& step) {
  if (step.zero) return {&ring_reduce_scatter(), &ring_allgather()};
  return {&exchange_of(step)};
}

/// Without the hosts: on a group they are others.
Options on_a_group(Options options) {
  options.hosts = nullptr;
  options.by_host = nullptr;
  return options;
}

std::size_t scratch_of(const Sequence& sequence, int ranks, std::size_t items,
                       const Options& options) {
  std::size_t most = 0;
  for (const Algorithm* one : sequence)
    most = std::max(most, one->scratch_items(ranks, items, options));
  return most;
}

}  // namespace

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
const Algorithm& ring_reduce_scatter() { return *find_algorithm("reduce_scatter", "ring"); }
const Algorithm& ring_allgather() { return *find_algorithm("allgather", "ring"); }

LlmBuffers llm_buffers(Workspace work, const LlmStep& step, int stage, const Options& options) {
  const std::size_t items = border_items(step, options);
  const auto activation = [&](std::size_t i) {
    return Range{work.scratch.buffer, work.scratch.offset + i * items, items};
  };
  LlmBuffers buffers;
  buffers.gradients = work.data;
  if (!step.gradients.empty())
    buffers.gradients =
        work.data.first(items_of(step.gradients[static_cast<std::size_t>(stage)], options));
  buffers.input = activation(0);
  buffers.output = activation(1);
  buffers.output_gradient = activation(2);
  buffers.input_gradient = activation(3);
  const std::size_t all = activations_of(step);
  if (step.schedule == Schedule::interleaved) {
    buffers.next_input = activation(1);
    buffers.next_output_gradient = activation(3);
    for (std::size_t i = 0; i < passes_under_way; ++i) {
      buffers.outputs[i] = activation(4 + i);
      buffers.input_gradients[i] = activation(4 + passes_under_way + i);
    }
  }
  buffers.scratch = {work.scratch.buffer, work.scratch.offset + all * items,
                     work.scratch.size - all * items};
  return buffers;
}

Cost llm_cost(int ranks, std::size_t items, Options options) {
  const LlmStep step = llm_step_of(options, ranks);
  options = on_a_group(options);
  const int tensor = step.grid.size("tp"), data = step.grid.size("dp"),
            stages = step.grid.size("pp");
  const std::size_t border = border_items(step, options);
  Cost sum;
  for (const Algorithm* one : on_tensor_group(step))
    if (tensor > 1)
      add(sum, one->cost(tensor, border, options),
          std::int64_t{4} * step.layers * step.micro_batches * data * stages);
  for (int stage = 0; stage < stages; ++stage) {
    const std::size_t own =
        step.gradients.empty() ? items
                               : items_of(step.gradients[static_cast<std::size_t>(stage)], options);
    std::int64_t steps = 0;
    for (const Algorithm* one : on_data_group(step)) {
      const Cost cost = one->cost(data, own, options);
      add(sum, cost, tensor);
      steps += cost.steps;
    }
    sum.steps = std::max(sum.steps, steps);
  }
  add(sum, {.messages = 1, .items = border},
      std::int64_t{2} * (stages * step.parts - 1) * step.micro_batches * tensor * data);
  sum.steps *= options.steps;
  sum.messages *= options.steps;
  sum.items *= static_cast<std::uint64_t>(options.steps);
  return sum;
}

std::size_t llm_scratch(int ranks, std::size_t items, Options options) {
  const LlmStep step = llm_step_of(options, ranks);
  options = on_a_group(options);
  const std::size_t border = border_items(step, options);
  const int tensor = step.grid.size("tp");
  return activations_of(step) * border +
         std::max(scratch_of(on_data_group(step), step.grid.size("dp"), items, options),
                  tensor > 1 ? scratch_of(on_tensor_group(step), tensor, border, options) : 0);
}

}  // namespace ringscope
