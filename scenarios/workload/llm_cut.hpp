// SPDX-License-Identifier: LGPL-2.1-or-later
// A large model as a job cuts it over its GPUs: what each rank has of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "algorithms/steps/interleaved_order.hpp"
#include "algorithms/training/llm/llm.hpp"
#include "algorithms/training/training.hpp"
#include "scenarios/workload/transformer.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// A job's model on its GPUs, each rank with an equal part of the layers.
struct Cut : LlmPlan {
  Transformer model;
  Gpu gpu;
  int tensor = 1, context = 1, stages = 1;
  int data = 1;  ///< ranks that have the same parameters: of dp and of cp
  int micro_batch = 1;
  int expert = 1;             ///< ranks of a data group that share a layer's experts
  std::vector<double> loads;  ///< of each of these, by its even share of the tokens
  int expert_hosts = 1;       ///< to each of which a token goes once; 1: to each of its experts
  int most_hosts = 1;         ///< of them that a token goes to
  double element = 2;         ///< bytes of a parameter and of an activation
  double dispatched = 2;      ///< bytes of one of them that goes to an expert
  double gradient = 2;        ///< bytes of a gradient, as it is summed and exchanged
  double gradient_copy = 0;   ///< ... of a second one that the framework keeps
  double optimiser = 12;      ///< ... of what the optimiser keeps of a parameter
  double fragmentation = 0;   ///< share of its memory that the allocator cannot use
  double efficiency = 0;      ///< share of the GPU's operations per second; 0: by its kernels
  Precision precision = Precision::bf16;
  double recompute = 0;           ///< share of the layers whose forward is repeated before backward
  bool recompute_square = false;  ///< attention alone is repeated
  bool fused_attention = true;
  Duration launch{};          ///< host time of a kernel
  bool border_parts = false;  ///< each rank of a tensor group sends its part to the next stage

  /// Sequences of a micro-batch that a rank has: a part of one, where cp cuts it.
  double sequences() const { return static_cast<double>(micro_batch) / context; }
  /// Layers of a part of a stage, but for those that the ends lack.
  int part_layers() const {
    return (static_cast<int>(model.layers) + fewer_at_first + fewer_at_last) / (stages * parts);
  }
  double layers(int stage) const {
    return part_layers() * parts - (stage == 0 ? fewer_at_first : 0) -
           (stage + 1 == stages ? fewer_at_last : 0);
  }
  double tokens() const { return sequences() * static_cast<double>(model.sequence); }
  double hidden_tokens() const { return tokens() * static_cast<double>(model.hidden); }
  /// One rank of a stage holds them of a layer.
  double expert_parameters() const { return model.expert_parameters() / expert / tensor; }
  double layer_parameters() const {
    const double beside = model.layer_parameters() - model.expert_parameters();
    return beside / tensor + expert_parameters();
  }
  double mean_load() const {
    double sum = 0;
    for (const double load : loads) sum += load;
    return loads.empty() ? 1 : sum / static_cast<double>(loads.size());
  }
  double most_load() const { return loads.empty() ? 1 : *std::ranges::max_element(loads); }
  double embedding_parameters() const { return static_cast<double>(model.embedding()) / tensor; }
  /// A tied output layer is the embedding, where one stage has both; else each end has a copy.
  double head_parameters() const {
    return model.tied && stages == 1 ? 0 : static_cast<double>(model.head()) / tensor;
  }
  /// One rank of a stage holds them.
  double parameters(int stage) const {
    double all = layers(stage) * layer_parameters();
    if (stage == 0) all += embedding_parameters();
    if (stage + 1 == stages) all += head_parameters();
    return all;
  }
  /// Micro-batches whose activations a stage keeps at once.
  double in_flight(int stage) const {
    if (schedule == PipelineSchedule::gpipe) return micro_batches;
    if (schedule == PipelineSchedule::one_f_one_b) return std::min(micro_batches, stages - stage);
    const InterleavedOrder order = {stages, parts, micro_batches, stage};
    return static_cast<double>(std::min(order.passes(), order.warm_up() + 1)) / parts;
  }
};

/// Up to whole floats, which replays send.
inline std::uint64_t whole_bytes(double bytes) {
  const double items = std::ceil(bytes / static_cast<double>(parameter_bytes));
  return static_cast<std::uint64_t>(items) * parameter_bytes;
}

// Passes, update and memory of a cut: llm_passes.cpp.

/// A layer's attention, for all tokens of a rank; what `block_pass` takes is left out with cp.
Pass attention_pass(const Cut& cut);
/// Queries of a rank and keys of one rank of its context group.
Pass block_pass(const Cut& cut);
/// MLP, or the experts of a rank to which `load` times the even share of the tokens comes.
Pass mlp_pass(const Cut& cut, double load);
/// Output layer and loss.
Pass head_pass(const Cut& cut);

/// Adam on a rank of the stage, with the norm of its gradients.
Duration update_of(const Cut& cut, int stage);

/// Gives all GPUs the passes and updates of the slowest one.
void slow_down(LlmStep& step);

/// Bytes of a GPU of that stage.
StageMemory memory_of(const Cut& cut, int stage);
/// Throws InputError at `place`, with the sum, where a stage does not fit.
void require_memory(const Value& place, const Cut& cut);
/// The stage that needs most, the first of equal ones.
StageMemory most_memory(const Cut& cut);

/// Reads `context_exchange`. Throws InputError, also where ranks would share a head of the keys.
void read_context_exchange(Fields& options, Cut& cut);

// Experts of a large model as a job cuts them over its GPUs, and the tokens that come to each.

/// Reads `routing` of the options, and checks the cut. Throws InputError.
void read_experts(Fields& options, Cut& cut);

/// Reads work of the host beside the passes, as its mean in a step.
HostWork read_host_work(Fields& options, const Cut& cut);
/// Reads `input`. The ranks of a replica prepare its sequences together, an equal part each.
void read_llm_input(Fields& options, const Cut& cut, Training& training);

/// Sizes, times and gradients of the experts on each rank of an expert group.
Experts experts_of(const Cut& cut);

}  // namespace ringscope
