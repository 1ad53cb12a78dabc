// SPDX-License-Identifier: LGPL-2.1-or-later
// Training of a large language model, as Megatron-LM does it: each layer is cut over the ranks of a
// tensor group, the layers over the stages of a pipeline, the sequences over the ranks of a data
// group, a sequence over those of a context group, and experts over those of an expert group.
//
// Sources: of layers, llm_layers.cpp; of pipelines, llm_pipeline.cpp; of context
// groups, llm_layers.cpp; ZeRO, Rajbhandari et al., SC 2020, arXiv:1910.02054: stage 1 here, with
// overlap in llm_overlap.cpp, stages 2 and 3 in llm_sharded.cpp; of norms, llm_checks.cpp. Left
// out: what an embedding takes. Cost: that of the collectives of each group, and of two messages
// for each micro-batch and border of two stages.
#include <algorithm>
#include <numeric>
#include <optional>

#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm/llm_device.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

bool has_experts(LlmDevice d) { return d->at.expert_gradients.size > 0; }

/// By the option, of the items of a part, and by the stage's own time.
Task update(LlmDevice d, int parts, int parts_of_experts = 1) {
  const auto items = static_cast<double>(d->at.gradients.size),
             of_experts = static_cast<double>(d->at.expert_gradients.size);
  const int stage = d->pipeline.rank();
  const Duration own = d->step.updates.empty() ? Duration{} : d->step.updates[stage];
  co_await d->comm.compute(own + d->step.slowest * d->options.update *
                                     (items / parts + of_experts / parts_of_experts));
}

/// The gradients of the data group are summed, and the parameters updated: all on each rank, or
/// with ZeRO 1 a part on each, which the others then get.
Task exchange_and_update(LlmDevice d, int step) {
  const LlmStep& how = d->step;
  const Workspace work = {d->at.gradients, d->at.scratch};
  const Workspace of_experts = {d->at.expert_gradients, d->at.scratch};
  const bool cut = how.zero == 1;
  const Halves halves = halves_of(exchange_of(how));
  const Algorithm& exchange = cut ? *halves.reduce_scatter : exchange_of(how);
  if (!how.overlap_gradients) co_await on_group(d->data, exchange, work, d->options);
  if (has_experts(d)) co_await on_group(d->expert_data, exchange, of_experts, d->options);
  d->comm.observe("exchanged", step);
  co_await sum_checks(d);
  co_await update(d, cut ? d->data.size() : 1, cut ? d->expert_data.size() : 1);
  const int stage = d->pipeline.rank();
  const Workspace changed = {work.data.first(parameter_items(how, stage, work.data, d->options)),
                             work.scratch};
  if (how.overlap_gradients && !how.overlap_parameters)
    co_await gather_layers(d);
  else if (cut && !how.overlap_parameters)
    co_await on_group(d->data, *halves.allgather, changed, d->options);
  if (cut && has_experts(d))
    co_await on_group(d->expert_data, *halves.allgather, of_experts, d->options);
}

Task whole_step(LlmDevice d, int step) {
  std::optional<Thread> stream;
  if (d->step.overlap_gradients)
    stream = d->comm.start(exchange_layers(d->on_stream()), Beside::thread);
  co_await run_pipeline(d);
  d->comm.observe("computed", step);
  if (stream) co_await d->comm.join(*stream);
  co_await exchange_and_update(d, step);
}

/// The gradients are exchanged beside backward, and with ZeRO 3 nobody needs new parameters yet.
Task sharded_step(LlmDevice d, int step) {
  co_await run_sharded(d, step);
  d->comm.observe("exchanged", step);
  co_await sum_checks(d);
  co_await update(d, d->shard.size());
  if (d->step.zero == 2) co_await gather_parameters(d);
}

/// Stages differ, and so do the ranks of a tensor group; those of one data group do the same, but
/// where each has experts of its own.
bool replicas_alike(int ranks, std::size_t items, const Options& options) {
  const LlmStep step = llm_step_of(options, ranks);
  if (step.experts.ranks > 1) return false;
  const Halves halves = halves_of(exchange_of(step));
  std::vector<const Algorithm*> exchanges = {&exchange_of(step)};
  if (step.zero > 0) exchanges = {halves.reduce_scatter, halves.allgather};
  if (step.checks > 0) exchanges.push_back(&exchange_of(step));
  return std::ranges::all_of(exchanges, [&](const Algorithm* one) {
    return one->alike != nullptr &&
           one->alike(ranks_of_data(step), items, options_of_group(options, "data"));
  });
}

/// Data group after data group, the first rank of each before the second of any. A context group
/// moves as a whole, and so does one of those among which ZeRO cuts.
AlikeOrder by_replicas(int ranks, const Options& options) {
  const LlmStep step = llm_step_of(options, ranks);
  const int data = ranks_of_data(step), groups = ranks / data, shard = shard_of(step);
  AlikeOrder order;
  order.ranks.resize(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const int at = step.grid.index(rank, "cp", "dp") * groups + step.grid.colour(rank, "cp", "dp");
    order.ranks[at] = rank;
  }
  order.step = groups * std::lcm(step.grid.size("cp"), shard < data ? shard : 1);
  return order;
}

Task train_llm(Communicator comm, Workspace work, Options options) {
  const LlmStep step = llm_step_of(options, comm.size());
  std::vector<Communicator> of;
  for (const LlmGroups& kind : llm_kinds(step)) {
    const Communicator whole = kind.within < 0 ? comm : of.begin()[kind.within];
    // No braced list, and no choice between two tasks: g++ 12 loses such temporaries of a
    // coroutine.
    if (kind.sides)
      of.push_back(co_await whole.split(kind.sides, kind.name));
    else
      of.push_back(kind.alone ? whole.among(std::vector<int>(1, whole.rank()), kind.name) : whole);
  }
  const Communicator &pipeline = of[2], &expert = of[6];
  const LlmBuffers buffers = llm_buffers(work, step, pipeline.rank(), expert.rank(), options);
  LlmSent sent;
  const LlmRank rank = {comm,  of[0], of[1], of[2], of[3],   of[4],   of[5], of[6],
                        of[7], of[8], of[9], step,  buffers, options, &sent};
  const Duration host{step.host.sum()};
  std::optional<Thread> input;
  if (has_input(options))
    input = comm.start(read_batches(comm.beside(Beside::thread), options, comm.size()));
  for (int number = 0; number < options.steps; ++number) {
    if (has_input(options)) co_await take_batch(comm, number);
    comm.observe("loaded", number);
    if (step.zero >= 2)
      co_await sharded_step(&rank, number);
    else
      co_await whole_step(&rank, number);
    if (host.count() > 0) co_await comm.compute(host);
    comm.observe("step", number);
    ++sent.steps;
  }
  if (input) co_await comm.join(*input);
}

/// Options of kernels, of passes, of groups, of ZeRO, and of what is beside them.
constexpr std::string_view job_options =
    "model gpu efficiency precision element gradient attention launch recompute "
    "sequence micro_batch micro_batches schedule stage_parts fewer_at_ends steps "
    "sequence_parallel tensor_overlap tensor_exchange border_parts context_exchange routing "
    "expert_exchange zero shard prefetch overlap exchange segment inside between update "
    "gradient_norm loss_scaling gradient_copy optimiser fragmentation variation step_overhead "
    "logging garbage_collection checkpoint input ";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t end; (end = text.find(' ')) != text.npos; text.remove_prefix(end + 1))
    words.push_back(text.substr(0, end));
  return words;
}

}  // namespace

Algorithm describe_llm_training() {
  return {
      .collective = "training",
      .name = "llm",
      .summary = "Megatron's: tensor, pipeline and data parallelism on groups of ranks",
      .options = words_of(job_options),
      .threads_for = llm_threads,
      .run = train_llm,
      .cost = llm_cost,
      .scratch_items = llm_scratch,
      .varies = Varies::steps,
      .alike = replicas_alike,
      .alike_order = by_replicas,
      .groups = llm_groups,
  };
}

}  // namespace ringscope
