// SPDX-License-Identifier: LGPL-2.1-or-later
// ZeRO 1 whose exchanges overlap with the computation: a bucket of each layer, in the order in
// which the passes need it or have it.
//
// Source: Megatron-LM, docs of the distributed optimiser, --overlap-grad-reduce and
// --overlap-param-gather: the gradients of a bucket are reduce-scattered when the last micro-batch
// has passed it; the parameters that an update has made are gathered in the next step's first
// forward pass. Here the gather of a step is that of the update before it. Cost of n ranks, S
// bytes: as without overlap, (n-1)/n S each way.
#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm/llm_device.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

constexpr Flag bucket_passed{2}, bucket_gathered{3};

int layers_before(LlmDevice d, int part) {
  int sum = 0;
  for (int before = 0; before < part; ++before) sum += d->step.layers(d->pipeline.rank(), before);
  return sum;
}

int buckets_of(LlmDevice d) { return layers_before(d, d->step.parts); }

}  // namespace

std::size_t parameter_items(const LlmStep& step, int stage, Range gradients,
                            const Options& options) {
  if (step.parameters.empty()) return gradients.size;
  return std::min(gradients.size, items_of(step.parameters[stage], options));
}

Task parameters_of(LlmDevice d, int part, int layer) {
  co_await d->comm.reach(bucket_gathered,
                         d->sent->steps * buckets_of(d) + layers_before(d, part) + layer + 1);
}

void gradients_are_there(LlmDevice d) { d->comm.raise(bucket_passed); }

Task gather_layers(LlmDevice d) {
  const int buckets = buckets_of(d), stage = d->pipeline.rank();
  const Range all = d->at.gradients;
  const Range gathered = all.first(parameter_items(d->step, stage, all, d->options));
  for (int bucket = 0; bucket < buckets; ++bucket) {
    const Workspace work = {gathered.part(bucket, buckets), d->at.exchange_scratch};
    co_await on_group(d->data, *halves_of(exchange_of(d->step)).allgather, work, d->options);
    d->comm.raise(bucket_gathered);
  }
}

Task exchange_layers(LlmRank self) {
  const LlmDevice d = &self;
  const Halves halves = halves_of(exchange_of(self.step));
  const int buckets = buckets_of(d), before = self.sent->steps * buckets;
  if (self.step.overlap_parameters) co_await gather_layers(d);
  for (int passed = 1; passed <= buckets; ++passed) {
    co_await self.comm.reach(bucket_passed, before + passed);
    const Workspace work = {self.at.gradients.part(buckets - passed, buckets),
                            self.at.exchange_scratch};
    co_await on_group(self.data, *halves.reduce_scatter, work, self.options);
  }
}

}  // namespace ringscope
