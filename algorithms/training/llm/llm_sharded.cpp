// SPDX-License-Identifier: LGPL-2.1-or-later
// ZeRO 2 and 3: what a data group has is cut over its ranks, unit by unit (an embedding, a layer,
// an output layer), and exchanged while the device computes.
//
// A unit's gradients are summed as soon as backward has passed it, each rank getting its part. With
// ZeRO 3 (PyTorch's FSDP) a rank keeps its part of the parameters only: it gathers a unit's before
// forward and again before backward, some units ahead of the one in use, and then forgets them.
// Hybrid sharding (HSDP): the cut is made among `shard` ranks, and the parts of the gradients are
// then summed over the replicas, with those of the last micro-batch.
//
// Sources: Rajbhandari et al., SC 2020, arXiv:1910.02054, sections 5 and 7; Zhao et al., "PyTorch
// FSDP", VLDB 2023, arXiv:2304.11277, sections 3.2 (hybrid sharding) and 3.3: one stream exchanges,
// and the gather of the next unit goes before the reduce-scatter that would hold it up
// (3.3.2), at most as many units ahead as there is memory for (3.4, the rate limiter).
// Cost for each micro-batch, of a model of S bytes on n ranks: with ZeRO 3 each rank sends
// 3 (n-1)/n S, with ZeRO 2 (n-1)/n S, and as much once a step for the new parameters.
#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm/llm_device.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

/// Raised when the device has passed a unit, forward or backward.
constexpr Flag unit_passed{0};
/// Raised when the parameters of the next unit are there.
constexpr Flag unit_gathered{1};

using Units = Table<ParameterUnit>;

Range gradients_of_unit(LlmDevice d, std::size_t unit) {
  return unit_range(d->step, d->at.gradients, unit, d->options);
}

Task unit_forward(LlmDevice d, ParameterUnit::Part part) {
  if (part == ParameterUnit::Part::layer) co_await layer_forward(d, d->at.output);
  if (part == ParameterUnit::Part::head)
    co_await d->comm.compute(d->step.head.forward, d->step.head.bytes);
}

/// `repeats`: the unit's activations are not kept, and its forward comes again.
Task unit_backward(LlmDevice d, ParameterUnit::Part part, bool repeats) {
  if (part == ParameterUnit::Part::head)
    co_await d->comm.compute(d->step.head.backward, 2 * d->step.head.bytes);
  if (part == ParameterUnit::Part::layer) {
    if (repeats) co_await layer_forward(d, d->at.output);
    co_await layer_backward(d, d->at.input_gradient);
  }
}

/// The device's own work on a micro-batch: `passed` units have been passed before it.
Task compute_micro_batch(LlmDevice d, std::size_t passed) {
  const Units& units = d->step.units;
  const bool gathers = d->step.zero == 3;
  for (int unit : d->comm.phase("forward", static_cast<int>(units.size()))) {
    if (gathers) co_await d->comm.reach(unit_gathered, ++passed);
    co_await unit_forward(d, units[unit].part);
    d->comm.raise(unit_passed);
  }
  int layers = 0;
  for (int back : d->comm.phase("backward", static_cast<int>(units.size()))) {
    if (gathers) co_await d->comm.reach(unit_gathered, ++passed);
    const ParameterUnit::Part part = units.rbegin()[back].part;
    if (part == ParameterUnit::Part::layer) ++layers;
    co_await unit_backward(d, part, layers <= d->step.repeated);
    d->comm.raise(unit_passed);
  }
}

/// The second stream of a device: it exchanges what the device needs next, or has passed.
struct ExchangeStream {
  LlmRank self;
  std::size_t first, end;  ///< passes of the step through units, as all steps count them
  std::size_t gathered;    ///< passes whose parameters are there, or on their way

  /// A micro-batch passes all units forward, and all again from the last one on.
  std::size_t unit_of(std::size_t pass) const {
    const std::size_t units = self.step.units.size(), there = (pass - first) % (2 * units);
    return there < units ? there : 2 * units - 1 - there;
  }
  bool is_backward(std::size_t pass) const {
    return (pass - first) / self.step.units.size() % 2 == 1;
  }
  bool is_last_micro_batch(std::size_t pass) const {
    return pass + 2 * self.step.units.size() >= end;
  }
};

/// Gathers for all passes before `until`, each when the one `prefetch` before it begins.
Task gather_until(ExchangeStream* s, std::size_t until) {
  const auto ahead = static_cast<std::size_t>(s->self.step.prefetch);
  for (; s->gathered < std::min(until, s->end); ++s->gathered) {
    co_await s->self.comm.reach(unit_passed, std::max(s->first + ahead, s->gathered) - ahead);
    const std::size_t items =
        items_of(s->self.step.units[s->unit_of(s->gathered)].bytes, s->self.options);
    const Range room = gathered_range(s->self.step, s->self.at, s->gathered % (ahead + 1), items);
    const Workspace work = {room, s->self.at.exchange_scratch};
    const Algorithm& gather = *halves_of(exchange_of(s->self.step)).allgather;
    if (room.size > 0) co_await on_group(s->self.shard, gather, work, s->self.options);
    s->self.comm.raise(unit_gathered);
  }
}

/// Sums the unit's gradients; those of all but the last micro-batch leave their part in scratch
/// space, where it is added to what the rank has.
Task reduce_unit(LlmDevice d, std::size_t unit, bool last_micro_batch) {
  const Range all = gradients_of_unit(d, unit);
  if (all.size == 0) co_return;
  const Workspace work = {last_micro_batch ? all : d->at.unit_gradients.first(all.size),
                          d->at.exchange_scratch};
  const Algorithm& scatter_sum = *halves_of(exchange_of(d->step)).reduce_scatter;
  co_await on_group(d->shard, scatter_sum, work, d->options);
  if (!last_micro_batch || d->replica.size() == 1) co_return;
  const Workspace own = {Chunks(all, d->shard.size())[d->shard.rank()], d->at.exchange_scratch};
  co_await on_group(d->replica, exchange_of(d->step), own, d->options);
}

Task exchange_units(ExchangeStream s) {
  for (std::size_t pass = s.first; pass < s.end; ++pass) {
    if (!s.is_backward(pass)) continue;
    const auto ahead = static_cast<std::size_t>(s.self.step.prefetch);
    if (s.self.step.zero == 3) co_await gather_until(&s, pass + 1 + ahead + 1);
    co_await s.self.comm.reach(unit_passed, pass + 1);
    co_await reduce_unit(&s.self, s.unit_of(pass), s.is_last_micro_batch(pass));
  }
}

}  // namespace

Task run_sharded(LlmDevice d, int step) {
  const int micro_batches = d->step.micro_batches;
  const std::size_t passes = 2 * d->step.units.size(), all = times(micro_batches, passes),
                    first = times(step, all);
  const Thread stream =
      d->comm.start(exchange_units({d->on_stream(), first, first + all, first}), Beside::thread);
  for (int i = 0; i < micro_batches; ++i) co_await compute_micro_batch(d, first + times(i, passes));
  d->comm.observe("computed", step);
  co_await d->comm.join(stream);
}

Task gather_parameters(LlmDevice d) {
  const Algorithm& gather = *halves_of(exchange_of(d->step)).allgather;
  for (std::size_t unit = 0; unit < d->step.units.size(); ++unit) {
    const Workspace work = {gradients_of_unit(d, unit), d->at.scratch};
    if (work.data.size > 0) co_await on_group(d->shard, gather, work, d->options);
  }
}

}  // namespace ringscope
