// SPDX-License-Identifier: LGPL-2.1-or-later
// A rank of a large model's training with its groups, and what it does with a layer.
#pragma once

#include "algorithms/training/llm/llm_parts.hpp"

namespace ringscope {

/// Counts of a rank since its program began.
struct LlmSent {
  std::size_t forward = 0, backward = 0;  ///< messages of an interleaved pipeline
  int steps = 0;
};

/// A rank, its groups, and its buffers.
struct LlmRank {
  Communicator comm, tensor;
  Communicator data;  ///< ranks with the same parameters: of dp and of cp
  Communicator pipeline, context;
  Communicator shard, replica;  ///< of a data group, where ZeRO 2 or 3 cuts it
  Communicator expert;          ///< of a data group: ranks that share a layer's experts
  Communicator expert_data;     ///< of a data group: ranks that have the same experts
  Communicator rail, host;      ///< of an expert group: ranks at one place of its hosts, of a host
  LlmStep step;
  LlmBuffers at;
  Options options;
  LlmSent* sent;

  /// The same rank on a second stream of its device.
  LlmRank on_stream() const {
    LlmRank other = *this;
    for (Communicator* each :
         {&other.comm, &other.tensor, &other.data, &other.shard, &other.replica})
      *each = each->beside(Beside::thread);
    return other;
  }
  bool is_first() const { return pipeline.rank() == 0; }
  bool is_last() const { return pipeline.rank() + 1 == pipeline.size(); }
};

/// A rank as its coroutines take it: kept by one that outlives them.
using LlmDevice = const LlmRank*;

/// Attention of a rank's part of the sequence to all of it, of one micro-batch.
Task attention_of_context(LlmDevice d, bool back);

/// One layer of one micro-batch, with the sums over the tensor group.
Task layer_forward(LlmDevice d, Range output);
Task layer_backward(LlmDevice d, Range input_gradient);

/// The experts' part of a layer, behind the operations of attention.
Task experts_forward(LlmDevice d, Range activations);
Task experts_backward(LlmDevice d);

/// The norm of all gradients, and whether any has overflowed.
Task sum_checks(LlmDevice d);

/// All micro-batches of a step through the stages of a pipeline, by the step's schedule.
Task run_pipeline(LlmDevice d);

/// All micro-batches of a step by ZeRO 2 or 3, up to the gradients' sums: a rank then has those of
/// its part. `step`: its number.
Task run_sharded(LlmDevice d, int step);

/// Exchanges of ZeRO 1 on a second stream of the device, layer by layer: parameters beside the
/// forward pass of the first micro-batch, gradients beside the backward pass of the last one.
Task exchange_layers(LlmRank self);
/// The allgathers alone.
Task gather_layers(LlmDevice d);
/// Waits for a layer's parameters.
Task parameters_of(LlmDevice d, int part, int layer);
/// The last micro-batch has passed the next layer backward.
void gradients_are_there(LlmDevice d);

/// ZeRO 2: the others get a rank's part of the new parameters.
Task gather_parameters(LlmDevice d);

}  // namespace ringscope
