// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/llm_cut.hpp"

namespace ringscope {
namespace {

// Kernels that a host starts in a layer's attention and in its MLP, forward; backward has twice as
// many. Source: TransformerLayer of Megatron-LM, counted: norm, product, rotation of queries and of
// keys, attention, product, sum with the residual; norm, product, activation, product, sum.
constexpr double attention_kernels = 8, mlp_kernels = 6, head_kernels = 10;
constexpr double reserved_share = 0.04;    ///< of a GPU's memory: CUDA, NCCL
constexpr double backward_of_fused = 2.5;  ///< arXiv:2307.08691, section 4.1: five products for two

struct Times {
  double forward = 0, backward = 0;
};

/// Bytes of an activation of `hidden` width, as norms, residuals and dropout move them.
double row_bytes(const Cut& cut) {
  return cut.hidden_tokens() * cut.element / (cut.sequence_parallel ? cut.tensor : 1);
}

/// In the order of Megatron-LM's layer, reads and writes of whole activations: forward a norm (2),
/// dropout and residual (3); backward as many, with both gradients of the residual (8).
Times rows_of_half(const GpuKernels& kernels, const Cut& cut) {
  const double bytes = row_bytes(cut);
  return {kernels.traffic_s(5 * bytes), kernels.traffic_s(8 * bytes)};
}

Times matrix(const GpuKernels& kernels, double tokens, double outputs, double inputs) {
  return {kernels.forward_s(tokens, outputs, inputs), kernels.backward_s(tokens, outputs, inputs)};
}

Times operator+(const Times& a, const Times& b) {
  return {a.forward + b.forward, a.backward + b.backward};
}

/// Each token with each before it, in a fused kernel. Or, unfused, with all: two products for each
/// head, whose result a softmax and dropout read and write (9 bytes of an item, backward 11).
Times square(const GpuKernels& kernels, const Cut& cut) {
  const Transformer& model = cut.model;
  const double sequence = static_cast<double>(model.sequence);
  if (cut.fused_attention) {
    const double flops =
        2 * cut.tokens() * model.pair_width() * sequence / cut.tensor * model.pair_share();
    return {kernels.attention_s(flops, false),
            kernels.attention_s(backward_of_fused * flops, true)};
  }
  const double heads = static_cast<double>(model.heads) / cut.tensor * cut.sequences();
  const double pairs = heads * sequence * sequence;
  const double once =
      kernels.product_s(heads * sequence, sequence, static_cast<double>(model.key_size())) +
      kernels.product_s(heads * sequence, static_cast<double>(model.head_size), sequence);
  return {once + kernels.traffic_s(9 * pairs), 2 * once + kernels.traffic_s(11 * pairs)};
}

GpuKernels kernels_of(const Cut& cut) {
  return {&cut.gpu, cut.precision, cut.element, cut.gradient};
}

Pass pass_of(Duration forward, Duration backward, const Work& work) {
  return {forward, backward, static_cast<std::size_t>(work.bytes)};
}

/// Backward has two products of matrices for each one of forward.
Pass roofline_pass(const Work& forward, const Cut& cut) {
  const Duration time(roofline_s(forward, cut.gpu, cut.efficiency));
  return pass_of(time, 2 * time, forward);
}

/// The longer of the GPU's time and of the host's, which starts the kernels.
Pass kernel_pass(const Times& gpu, double kernels, const Work& forward, const Cut& cut) {
  return pass_of(std::max(Duration(gpu.forward), kernels * cut.launch),
                 std::max(Duration(gpu.backward), 2 * kernels * cut.launch), forward);
}

LayerWork work_of(const Cut& cut) {
  return forward_work(cut.model, cut.sequences(), cut.tensor, cut.element);
}

/// Whole units that FSDP keeps beside its parts are as large as the largest one.
double largest_unit(const Cut& cut) {
  return std::max({cut.layer_parameters(), cut.embedding_parameters(), cut.head_parameters()});
}

/// Parameters of a stage that a rank updates.
double updated(const Cut& cut, int stage) {
  const double parameters = cut.parameters(stage);
  const double of_experts = cut.expert > 1 ? cut.layers(stage) * cut.expert_parameters() : 0;
  if (cut.zero == 0) return parameters;
  return (parameters - of_experts) / cut.shard + of_experts / cut.shard * cut.expert;
}

/// Activations of a layer that backward needs, of one micro-batch. By kernels: inputs of norms and
/// of products; queries, keys, values and what attention made of them; inputs and output of the
/// activation. Unfused, attention keeps 5 bytes for each pair of tokens and head, unless it is
/// repeated: arXiv:2205.05198, sections 4 and 5.
double layer_activations(const Cut& cut) {
  const Transformer& model = cut.model;
  const double sequence = static_cast<double>(model.sequence);
  const double pairs = cut.sequences() * static_cast<double>(model.heads) / cut.tensor * sequence *
                       sequence * cut.element / 2;
  const double of_pairs = cut.fused_attention || cut.recompute_square ? 0 : 5 * pairs;
  if (cut.efficiency > 0)
    return of_pairs + activation_bytes(model, cut.sequences(), cut.tensor, cut.element,
                                       cut.sequence_parallel, cut.most_load());
  const double items = cut.tokens() * cut.element / cut.tensor;
  const double experts = static_cast<double>(model.top_k) * cut.most_load();
  const double share = model.expert_share(), inputs = share * experts + (1 - share);
  const double inside = share * (experts * static_cast<double>(model.intermediate) +
                                 static_cast<double>(model.shared_intermediate)) +
                        (1 - share) * static_cast<double>(model.dense_intermediate);
  const Latent& latent = model.latent;
  const double narrow = static_cast<double>(latent.queries + latent.keys + latent.rotary);
  const double outer =
      2 * model.pair_width() + static_cast<double>(model.key_value_width()) + narrow * cut.tensor;
  return of_pairs + (3 + inputs) * row_bytes(cut) +
         items * (outer + (model.gated ? 3 : 2) * inside);
}

/// Repeated layers keep their input; one layer at a time keeps all.
double activations_of(const Cut& cut, int stage) {
  const double layer = layer_activations(cut), layers = cut.layers(stage);
  const double kept = cut.in_flight(stage) * layers *
                      ((1 - cut.recompute) * layer + cut.recompute * row_bytes(cut));
  const bool logits = cut.efficiency == 0 && stage + 1 == cut.stages;
  const double of_logits =
      cut.tokens() * static_cast<double>(cut.model.vocabulary) / cut.tensor * (cut.element + 4);
  // Keys and values of the whole sequence, of one layer at a time.
  const double gathered = cut.context_exchange == ContextExchange::allgather
                              ? cut.context * cut.tokens() * cut.element / cut.tensor *
                                    static_cast<double>(cut.model.key_value_width())
                              : 0;
  return kept + (cut.recompute > 0 ? layer : 0) + (logits ? of_logits : 0) + gathered;
}

/// An MLP, or one expert, of so many inside, on so many tokens.
Times mlp_times(const Cut& cut, double tokens, std::uint64_t whole) {
  if (whole == 0) return {};
  const GpuKernels kernels = kernels_of(cut);
  const bool gated = cut.model.gated;
  const double hidden = static_cast<double>(cut.model.hidden);
  const double inside = static_cast<double>(whole) / cut.tensor;
  const double bytes = tokens * inside * cut.element;
  return matrix(kernels, tokens, (gated ? 2 : 1) * inside, hidden) +
         matrix(kernels, tokens, hidden, inside) +
         Times{kernels.traffic_s((gated ? 3 : 2) * bytes),
               kernels.traffic_s((gated ? 5 : 3) * bytes)};
}

}  // namespace

Pass attention_pass(const Cut& cut) {
  const LayerWork work = work_of(cut);
  const Work& all = work.attention;
  if (cut.efficiency > 0)
    return roofline_pass(cut.context > 1 ? without(all, work.square) : all, cut);
  const GpuKernels kernels = kernels_of(cut);
  const Transformer& model = cut.model;
  const double tokens = cut.tokens();
  Times times;
  for (const Matrix& one : model.attention(cut.tensor))
    times = times + matrix(kernels, tokens, one.outputs, one.inputs);
  times = times + rows_of_half(kernels, cut);
  if (model.positions == 0) {
    const bool narrow = model.latent.keys > 0;  // keys share what is rotated of them
    const std::uint64_t turned = narrow ? (model.heads + 1) * model.latent.rotary
                                        : model.query_width() + model.key_value_width() / 2;
    const double bytes = 2 * tokens * static_cast<double>(turned) / cut.tensor * cut.element;
    const double rotated = kernels.traffic_s(bytes);
    times = times + Times{rotated, rotated};
  }
  if (cut.context == 1) {
    const Times inner = square(kernels, cut);
    times = times + inner;
    if (cut.recompute_square && !cut.fused_attention) times.backward += inner.forward;
  }
  return kernel_pass(times, attention_kernels, all, cut);
}

Pass block_pass(const Cut& cut) {
  const Work work = work_of(cut).square;
  Pass pass = cut.efficiency > 0 ? roofline_pass(work, cut)
                                 : kernel_pass(square(kernels_of(cut), cut), 0, work, cut);
  pass.forward /= cut.context;
  pass.backward /= cut.context;
  return pass;
}

// Experts of a rank each take their part of its tokens: their products are smaller.
Pass mlp_pass(const Cut& cut, double load) {
  const Transformer& model = cut.model;
  const Work work = expert_work(model, cut.sequences(), cut.tensor, cut.element, cut.expert, load);
  if (cut.efficiency > 0) return roofline_pass(work, cut);
  const double experts = static_cast<double>(model.experts) / cut.expert;
  const double all = cut.tokens(), share = model.expert_share();
  const double each = all * static_cast<double>(model.top_k) * load * cut.expert /
                      static_cast<double>(model.experts);
  const Times chosen = mlp_times(cut, each, model.intermediate);
  const Times shared = mlp_times(cut, all, model.shared_intermediate);
  const Times dense = mlp_times(cut, all, model.dense_intermediate);
  const auto mean = [&](double Times::*way) {
    return share * (experts * chosen.*way + shared.*way) + (1 - share) * dense.*way;
  };
  const Times times = {mean(&Times::forward), mean(&Times::backward)};
  return kernel_pass(times + rows_of_half(kernels_of(cut), cut), mlp_kernels, work, cut);
}

// The loss reads and writes the logits, and its steps in 4 bytes: 12 bytes forward, 10 backward.
Pass head_pass(const Cut& cut) {
  const Work work = work_of(cut).head;
  if (cut.efficiency > 0) return roofline_pass(work, cut);
  const GpuKernels kernels = kernels_of(cut);
  const double tokens = cut.tokens(), hidden = static_cast<double>(cut.model.hidden);
  const double words = static_cast<double>(cut.model.vocabulary) / cut.tensor;
  GpuKernels in_bf16 = kernels;
  if (in_bf16.precision == Precision::fp8) in_bf16.precision = Precision::bf16;
  const Times loss = {kernels.traffic_s(12 * tokens * words),
                      kernels.traffic_s(10 * tokens * words)};
  return kernel_pass(matrix(in_bf16, tokens, words, hidden) + loss, head_kernels, work, cut);
}

// Reads and writes of moments and copy, reads of the gradient for the norm and for the update, and
// a write of the parameter, which is read too where it has no copy.
Duration update_of(const Cut& cut, int stage) {
  if (cut.efficiency > 0) return Duration(0);
  const double each =
      2 * cut.optimiser + 2 * cut.gradient + (cut.element < 4 ? 1 : 2) * cut.element;
  return Duration(kernels_of(cut).traffic_s(updated(cut, stage) * each));
}

// Groups wait for their slowest GPU in each layer, stages for the slowest stage in each
// micro-batch, and replicas for the slowest one in each step: all GPUs take the time of the
// slowest.
void slow_down(LlmStep& step) {
  for (Pass* pass : {&step.attention, &step.attention_block, &step.mlp, &step.head}) {
    pass->forward *= step.slowest;
    pass->backward *= step.slowest;
  }
  for (Pass& pass : step.experts.passes) {
    pass.forward *= step.slowest;
    pass.backward *= step.slowest;
  }
  for (Duration& update : step.updates) update *= step.slowest;
}

// ZeRO cuts the optimiser's, then the gradients, then the parameters: arXiv:1910.02054, section 3;
// whole units come and go: arXiv:2304.11277, section 3.2.1.
StageMemory memory_of(const Cut& cut, int stage) {
  const double parameters = cut.parameters(stage);
  const double gradient = cut.gradient + cut.gradient_copy;
  const double weights = parameters * cut.element, sums = parameters * gradient;
  const double unit = largest_unit(cut);
  StageMemory memory;
  memory.stage = stage;
  memory.parameters =
      cut.zero == 3 ? weights / cut.shard + (cut.prefetch + 1) * unit * cut.element : weights;
  memory.gradients = cut.zero >= 2 ? sums / cut.shard + unit * gradient : sums;
  memory.optimiser = updated(cut, stage) * cut.optimiser;
  memory.activations = activations_of(cut, stage);
  memory.reserved = memory.sum() * cut.fragmentation / (1 - cut.fragmentation);
  if (cut.efficiency == 0) memory.reserved += reserved_share * static_cast<double>(cut.gpu.memory);
  return memory;
}

StageMemory most_memory(const Cut& cut) {
  StageMemory most = memory_of(cut, 0);
  for (int stage = 1; stage < cut.stages; ++stage)
    if (const StageMemory one = memory_of(cut, stage); one.sum() > most.sum()) most = one;
  return most;
}

}  // namespace ringscope
