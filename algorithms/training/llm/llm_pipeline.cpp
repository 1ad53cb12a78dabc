// SPDX-License-Identifier: LGPL-2.1-or-later
// Pipelines of a large model's training: the layers cut over stages, and the order in which a stage
// takes its micro-batches.
//
// Sources: GPipe, Huang et al., 2018, arXiv:1811.06965; 1F1B, Narayanan et al., SC 2021,
// arXiv:2104.04473, and forward_backward_pipelining_without_interleaving in Megatron's
// pipeline_parallel/schedules.py; the interleaved schedule,
// algorithms/steps/interleaved_order.hpp.
#include <array>
#include <optional>
#include <utility>

#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm/llm_device.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

bool is_end(LlmDevice d, int part) { return d->is_last() && part + 1 == d->step.parts; }

Task forward(LlmDevice d, Range output, int micro_batch, int part = 0) {
  const int layers = d->step.layers(d->pipeline.rank(), part);
  for (int layer : d->comm.phase("forward", layers)) {
    if (d->step.overlap_parameters && micro_batch == 0) co_await parameters_of(d, part, layer);
    co_await layer_forward(d, output);
  }
  if (is_end(d, part)) co_await d->comm.compute(d->step.head.forward, d->step.head.bytes);
}

/// Activations of some layers are not kept: their forward comes again.
Task backward(LlmDevice d, Range input_gradient, int micro_batch, int part = 0) {
  if (is_end(d, part)) co_await d->comm.compute(d->step.head.backward, 2 * d->step.head.bytes);
  const int layers = d->step.layers(d->pipeline.rank(), part);
  const bool last = micro_batch + 1 == d->step.micro_batches;
  for (int layer : d->comm.phase("backward", layers)) {
    if (layer < d->step.repeated) co_await layer_forward(d, input_gradient);
    co_await layer_backward(d, input_gradient);
    if (d->step.overlap_gradients && last) gradients_are_there(d);
  }
}

/// Activations or gradients that a stage sends to another and receives from it at once; either may
/// be missing.
struct AtBorder {
  std::optional<Range> sent{}, received{};
};

/// Range of an activation in a message: all, or the part of a rank of a tensor group.
Range of_border(LlmDevice d, Range activation) {
  return activation.first(sent_items(d->step, d->options));
}

Task exchange(LlmDevice d, int stage, AtBorder what) {
  auto& [sent, received] = what;
  if (sent) sent = of_border(d, *sent);
  if (received) received = of_border(d, *received);
  if (goes_by_blocks(d->pipeline, d->options)) {
    std::vector<GroupMessage> messages;
    if (received) messages.push_back({false, stage, *received});
    if (sent) messages.push_back({true, stage, *sent});
    co_await exchange_messages(d->pipeline, std::move(messages), d->options);
  } else if (!sent) {
    co_await d->pipeline.recv(*received, stage);
  } else if (!received) {
    co_await d->pipeline.send(*sent, stage);
  } else {
    co_await d->pipeline.sendrecv(*sent, stage, *received, stage);
  }
}

Task with_next(LlmDevice d, AtBorder what) {
  if (!d->is_last()) co_await exchange(d, d->pipeline.next(), what);
}
Task with_previous(LlmDevice d, AtBorder what) {
  if (!d->is_first()) co_await exchange(d, d->pipeline.prev(), what);
}
Task receive_forward(LlmDevice d) { return with_previous(d, {.received = d->at.input}); }
Task send_forward(LlmDevice d) { return with_next(d, {.sent = d->at.output}); }
Task receive_backward(LlmDevice d) { return with_next(d, {.received = d->at.output_gradient}); }
Task send_backward(LlmDevice d) { return with_previous(d, {.sent = d->at.input_gradient}); }
Task send_forward_receive_backward(LlmDevice d) {
  return with_next(d, {d->at.output, d->at.output_gradient});
}
Task send_backward_receive_forward(LlmDevice d) {
  return with_previous(d, {d->at.input_gradient, d->at.input});
}

/// All micro-batches forward, then all backward.
Task gpipe(LlmDevice d) {
  for (int micro_batch = 0; micro_batch < d->step.micro_batches; ++micro_batch) {
    co_await receive_forward(d);
    co_await forward(d, d->at.output, micro_batch);
    co_await send_forward(d);
  }
  for (int micro_batch = 0; micro_batch < d->step.micro_batches; ++micro_batch) {
    co_await receive_backward(d);
    co_await backward(d, d->at.input_gradient, micro_batch);
    co_await send_backward(d);
  }
}

/// One forward, one backward, once the pipeline is full: no more activations are kept than there
/// are stages from here on.
Task one_forward_one_backward(LlmDevice d) {
  const int warm_up = warm_up_of(d->step.micro_batches, d->pipeline.rank(), d->pipeline.size());
  const int steady = d->step.micro_batches - warm_up;
  for (int micro_batch = 0; micro_batch < warm_up; ++micro_batch) {
    co_await receive_forward(d);
    co_await forward(d, d->at.output, micro_batch);
    co_await send_forward(d);
  }
  if (steady > 0) co_await receive_forward(d);
  for (int micro_batch = 0; micro_batch < steady; ++micro_batch) {
    co_await forward(d, d->at.output, warm_up + micro_batch);
    co_await send_forward_receive_backward(d);
    co_await backward(d, d->at.input_gradient, micro_batch);
    if (micro_batch + 1 < steady)
      co_await send_backward_receive_forward(d);
    else
      co_await send_backward(d);
  }
  for (int micro_batch = 0; micro_batch < warm_up; ++micro_batch) {
    co_await receive_backward(d);
    co_await backward(d, d->at.input_gradient, steady + micro_batch);
    co_await send_backward(d);
  }
}

/// One way through an interleaved pipeline: what comes next is received while a stage computes, and
/// what has gone may still be in flight.
struct Way {
  bool back;
  Range now, next;
  std::array<Range, passes_in_flight> out;
  int from, to;
  std::size_t* so_far;  ///< messages sent
  MessageUnderWay coming{};
  std::array<MessageUnderWay, passes_in_flight> going{};
  std::array<bool, passes_in_flight> sent{};
  std::size_t turn = 0;  ///< of the one that the pass writes

  int tag() const { return back ? 2 : 1; }
  /// Raised by each message that has gone.
  Flag passed() const { return Flag{back ? 1 : 0}; }
};

void receive_next(LlmDevice d, Way* way) {
  way->coming = begin_message(d->pipeline, {false, way->from, of_border(d, way->next), way->tag()},
                              d->options);
}

/// Waits for the pass's message, if it has one, and lets the next pass's come in.
Task receive_pass(LlmDevice d, Way* way, bool has, bool next_has) {
  if (has) co_await end_message(d->pipeline, way->coming);
  std::swap(way->now, way->next);
  if (next_has) receive_next(d, way);
}

/// Waits until the pass may write where an earlier one did.
Task make_room(LlmDevice d, Way* way) {
  way->turn = (way->turn + 1) % passes_in_flight;
  if (std::exchange(way->sent[way->turn], false))
    co_await end_message(d->pipeline, way->going[way->turn]);
}

void send_pass(LlmDevice d, Way* way) {
  way->going[way->turn] =
      begin_message(d->pipeline, {true, way->to, of_border(d, way->out[way->turn]), way->tag()},
                    d->options, MessageTurn{way->passed(), (*way->so_far)++});
  way->sent[way->turn] = true;
}

Task take_pass(LlmDevice d, InterleavedOrder order, Way* way, int pass) {
  const bool more = pass + 1 < order.passes() && order.receives(way->back, pass + 1);
  co_await receive_pass(d, way, order.receives(way->back, pass), more);
  co_await make_room(d, way);
  const int micro_batch = order.micro_batch(pass), part = order.part(way->back, pass);
  if (way->back)
    co_await backward(d, way->out[way->turn], micro_batch, part);
  else
    co_await forward(d, way->out[way->turn], micro_batch, part);
  if (order.sends(way->back, pass)) send_pass(d, way);
}

/// As one forward, one backward, of smaller parts: a stage gets its first work sooner.
Task interleaved(LlmDevice d) {
  const InterleavedOrder order = {d->pipeline.size(), d->step.parts, d->step.micro_batches,
                                  d->pipeline.rank()};
  const int next = d->pipeline.next(), prev = d->pipeline.prev();
  const LlmBuffers& at = d->at;
  Way ahead = {false, at.input, at.next_input, at.outputs, prev, next, &d->sent->forward};
  Way back = {true, at.output_gradient, at.next_output_gradient, at.input_gradients, next,
              prev, &d->sent->backward};
  if (order.receives(ahead.back, 0)) receive_next(d, &ahead);
  if (order.receives(back.back, 0)) receive_next(d, &back);

  const int warm_up = order.warm_up(), steady = order.passes() - warm_up;
  for (int pass = 0; pass < warm_up; ++pass) co_await take_pass(d, order, &ahead, pass);
  for (int pass = 0; pass < steady; ++pass) {
    co_await take_pass(d, order, &ahead, warm_up + pass);
    co_await take_pass(d, order, &back, pass);
  }
  for (int pass = steady; pass < order.passes(); ++pass) co_await take_pass(d, order, &back, pass);
  for (std::size_t i = 0; i < passes_in_flight; ++i) {
    co_await make_room(d, &ahead);
    co_await make_room(d, &back);
  }
}

}  // namespace

std::size_t sent_items(const LlmStep& step, const Options& options) {
  return items_of(step.sent > 0 ? step.sent : step.activation, options);
}

Task run_pipeline(LlmDevice d) {
  if (d->step.schedule == PipelineSchedule::one_f_one_b) return one_forward_one_backward(d);
  if (d->step.schedule == PipelineSchedule::interleaved) return interleaved(d);
  return gpipe(d);
}

}  // namespace ringscope
