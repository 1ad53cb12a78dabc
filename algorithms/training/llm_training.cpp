// Training of a large language model, as Megatron-LM does it: each layer is cut over the ranks of a
// tensor group, the layers over the stages of a pipeline, the sequences over the ranks of a data
// group, and a sequence over those of a context group.
//
// Sources: of layers, llm_layers.cpp; of pipelines, llm_pipeline.cpp; of context
// groups, ring_attention.cpp; ZeRO, Rajbhandari et al., SC 2020, arXiv:1910.02054: stage 1 here,
// stages 2 and 3 in llm_sharded.cpp. Left out: what an embedding takes, the sum of the gradients'
// norms, and dropout. Cost: that of the collectives of each group, and of two messages for each
// micro-batch and border of two stages.
#include "algorithms/on_group.hpp"
#include "algorithms/training/llm_device.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

Task update(LlmDevice d, int parts) {
  const auto items = static_cast<double>(d->at.gradients.size);
  co_await d->comm.compute(d->options.update * (items / parts));
}

/// The gradients of the data group are summed, and the parameters updated: all on each rank, or
/// with ZeRO 1 a part on each, which the others then get.
Task exchange_and_update(LlmDevice d, int step) {
  const Workspace work = {d->at.gradients, d->at.scratch};
  const Algorithm& exchange = d->step.zero == 1 ? ring_reduce_scatter() : exchange_of(d->step);
  co_await on_group(d->data, exchange, work, d->options);
  d->comm.observe("exchanged", step);
  co_await update(d, d->step.zero == 1 ? d->data.size() : 1);
  if (d->step.zero == 1) co_await on_group(d->data, ring_allgather(), work, d->options);
}

Task whole_step(LlmDevice d, int step) {
  co_await run_pipeline(d);
  d->comm.observe("computed", step);
  co_await exchange_and_update(d, step);
}

/// The gradients are exchanged beside backward, and with ZeRO 3 nobody needs new parameters yet.
Task sharded_step(LlmDevice d, int step) {
  co_await run_sharded(d, step);
  d->comm.observe("exchanged", step);
  co_await update(d, d->shard.size());
  if (d->step.zero == 2) co_await gather_parameters(d);
}

Task train_llm(Communicator comm, Workspace work, Options options) {
  const LlmStep step = llm_step_of(options, comm.size());
  const auto split = [&](const char* kind, const char* part) {
    return comm.split(step.grid.colour(comm.rank(), kind), step.grid.index(comm.rank(), kind),
                      part);
  };
  const Grid& grid = step.grid;
  const int self = comm.rank();
  const Communicator tensor = co_await split("tp", "tensor");
  const Communicator data =
      co_await comm.split(grid.colour(self, "cp", "dp"), grid.index(self, "cp", "dp"), "data");
  const Communicator pipeline = co_await split("pp", "pipeline");
  // No braced list, and no choice between two tasks: g++ 12 loses such temporaries of a coroutine.
  Communicator context = comm.among(std::vector<int>(1, self), "context");
  if (grid.size("cp") > 1) context = co_await split("cp", "context");
  Communicator shard = data, replica = data;
  if (const int size = shard_of(step); size < data.size()) {
    const int place = data.rank();
    shard = co_await data.split(place / size, place % size, "shard");
    replica = co_await data.split(place % size, place / size, "replica");
  } else {
    replica = data.among(std::vector<int>(1, data.rank()), "replica");
  }
  const LlmBuffers buffers = llm_buffers(work, step, pipeline.rank(), options);
  const LlmRank rank = {comm,  tensor,  context, pipeline, data,
                        shard, replica, step,    buffers,  options};
  for (int number = 0; number < options.steps; ++number) {
    comm.observe("loaded", number);
    if (step.zero >= 2)
      co_await sharded_step(&rank, number);
    else
      co_await whole_step(&rank, number);
    comm.observe("step", number);
  }
}

}  // namespace

Algorithm describe_llm_training() {
  return {
      .collective = "training",
      .name = "llm",
      .summary = "Megatron's: tensor, pipeline and data parallelism on groups of ranks",
      .options =
          {"model",       "gpu",           "efficiency", "element",         "sequence",
           "micro_batch", "micro_batches", "schedule",   "stage_parts",     "sequence_parallel",
           "zero",        "shard",         "prefetch",   "tensor_exchange", "exchange",
           "steps",       "segment",       "inside",     "between",         "update"},
      .threads_for = llm_threads,
      .run = train_llm,
      .cost = llm_cost,
      .scratch_items = llm_scratch,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
