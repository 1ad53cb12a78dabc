// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts of a transformer: parameters, operations, bytes. Arithmetic only.
//
// Operations count 2 for each multiply-add of matrices, as Narayanan et al. do (SC 2021,
// arXiv:2104.04473, appendix), each layer's own sizes taken; attention counts the whole square of
// the sequence, not the half below its diagonal. What is no matrix takes no time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope {

// Kernels of one GPU in a layer of a transformer: times by shape and precision. Arithmetic only.

/// Type in which tensor cores multiply.
enum class Precision : std::uint8_t { bf16, fp8, tf32, fp32 };

inline const std::vector<std::string> precision_names = {"bf16", "fp8", "tf32", "fp32"};

/// Rates of a generation's kernels: `kernels` of a GPU (scenarios/format/llm.md#kernels).
struct Kernels {
  double matrix = 1;      ///< share of the operations per second: large products of matrices
  double matrix_fp8 = 1;  ///< the same in FP8
  double attention = 1, attention_backward = 1;  ///< the same of a fused attention
  double memory = 1;                             ///< share of the memory bandwidth
  double multiprocessors = 0;                    ///< 0: products fill them
  double spread = 0;  ///< 90 % of measured steps are within this factor of the predicted; 0: unsaid
};

/// A GPU as its data sheet has it.
struct Gpu {
  std::string name;
  double flops = 0;  ///< per second, of matrices of the element's size
  double flops_fp8 = 0, flops_tf32 = 0, flops_fp32 = 0;  ///< 0: unsaid
  double bandwidth = 0;                                  ///< of its memory, B/s
  std::uint64_t memory = 0;                              ///< 0: unsaid
  std::optional<Kernels> kernels;
  Value resolved;
};

/// A name, a path, or a map. Throws InputError.
Gpu read_gpu(const Value& value);

/// Operations per second; 0 where the GPU does not say.
double flops_of(const Gpu& gpu, Precision precision);

/// Kernels of a job: those of a GPU that has `kernels`, in a precision.
struct GpuKernels {
  const Gpu* gpu = nullptr;
  Precision precision = Precision::bf16;
  double element = 2;   ///< bytes
  double gradient = 2;  ///< bytes of a parameter's gradient, which micro-batches add up

  /// m x k by k x n. Tiles of the result fill the multiprocessors in waves: NVIDIA, "Matrix
  /// multiplication background user's guide", section 4. A block loads the first 128 items of its
  /// sum before it adds, and writes its result behind it.
  double product_s(double m, double n, double k, double written_bytes) const;
  double product_s(double m, double n, double k) const {
    return product_s(m, n, k, m * n * element);
  }
  /// Kernels that compute element by element: memory traffic.
  double traffic_s(double bytes) const;
  /// A layer's matrix of k x n on m tokens: forward; gradients of its input and of itself. In FP8,
  /// casts read an operand, and write it and its transpose.
  double forward_s(double m, double n, double k) const;
  double backward_s(double m, double n, double k) const;
  /// Operations of a fused attention.
  double attention_s(double flops, bool backward) const;
};

// Counts of a transformer.

struct Transformer {
  std::string name, about;
  std::uint64_t layers = 1, hidden = 1, heads = 1, key_value_heads = 1, intermediate = 1;
  std::uint64_t vocabulary = 0, sequence = 1, positions = 0;
  std::uint64_t experts =
      1;  ///< of each layer: MLPs of which a router chooses top_k for each token
  std::uint64_t top_k = 1;
  bool gated = false;   ///< the MLP has a third matrix
  bool biases = false;  ///< of all matrices, and of the norms
  bool tied = false;    ///< the embedding is the output layer too
  std::uint64_t records = 1;
  Value resolved;

  std::uint64_t key_value_width() const { return hidden / heads * key_value_heads; }
  std::uint64_t attention_matrices() const { return 2 * hidden * (hidden + key_value_width()); }
  /// Matrices of an MLP: of one expert, where there are several.
  std::uint64_t mlp_matrices() const { return (gated ? 3 : 2) * hidden * intermediate; }
  std::uint64_t router() const { return experts > 1 ? hidden * experts : 0; }
  /// Parameters of a layer's MLP or of all its experts.
  std::uint64_t expert_parameters() const {
    return experts * (mlp_matrices() + (biases ? intermediate + hidden : 0));
  }
  std::uint64_t layer_parameters() const {
    const std::uint64_t vectors = 2 * hidden + (biases ? 4 * hidden + 2 * key_value_width() : 0);
    return attention_matrices() + router() + expert_parameters() + vectors;
  }
  std::uint64_t embedding() const { return (vocabulary + positions) * hidden; }
  std::uint64_t head() const { return vocabulary * hidden; }
  std::uint64_t parameters() const {
    return layers * layer_parameters() + embedding() + (tied ? 0 : head()) +
           (vocabulary == 0 ? 0 : (biases ? 2 : 1) * hidden);
  }
};

/// Operations of a step for each token: 6 for each parameter of a matrix that it meets, and 12 for
/// each token of its sequence and hidden unit: arXiv:2204.02311, appendix B.
inline double flops_per_token(const Transformer& model) {
  const double layer = static_cast<double>(model.attention_matrices() + model.router() +
                                           model.top_k * model.mlp_matrices());
  const double square = static_cast<double>(model.sequence) * static_cast<double>(model.hidden);
  return static_cast<double>(model.layers) * (6 * layer + 12 * square) +
         6 * static_cast<double>(model.head());
}

/// Work of one matrix or several, on one GPU.
struct Work {
  double flops = 0, bytes = 0;
};

inline Work without(const Work& all, const Work& part) {
  return {all.flops - part.flops, all.bytes - part.bytes};
}

/// Time of the bound: its operations, of which the GPU reaches a share, or its memory's bytes.
inline double roofline_s(const Work& work, const Gpu& gpu, double efficiency) {
  return std::max(work.flops / (gpu.flops * efficiency), work.bytes / gpu.bandwidth);
}

/// Work that `sequences` sequences are for a rank with one of `ranks` parts of a layer's experts,
/// each expert cut over `parts` GPUs, where `load` times the even share of the tokens comes to it.
/// One expert is a plain MLP.
inline Work expert_work(const Transformer& model, double sequences, double parts, double element,
                        double ranks, double load) {
  const double tokens =
      sequences * static_cast<double>(model.sequence) * static_cast<double>(model.top_k) * load;
  const double each = static_cast<double>(model.mlp_matrices());
  const double between = 2 * tokens * static_cast<double>(model.hidden) * element;
  return {2 * tokens * each / parts,
          static_cast<double>(model.experts) / ranks * each * element / parts + between};
}

/// Forward passes of `sequences` sequences, each layer cut over `parts` GPUs; an element has
/// `element` bytes. Weights are read once, inputs read and outputs written once.
struct LayerWork {
  Work attention, mlp, head;
  Work square;  ///< of attention: each token with each
};
inline LayerWork forward_work(const Transformer& model, double sequences, double parts,
                              double element) {
  const double tokens = sequences * static_cast<double>(model.sequence);
  const double hidden = static_cast<double>(model.hidden);
  const double square = 4 * tokens * static_cast<double>(model.sequence) * hidden;
  const double between = 2 * tokens * hidden * element;
  const auto matrices = [&](std::uint64_t parameters, double more_flops, double bytes) {
    const double count = static_cast<double>(parameters);
    return Work{(2 * tokens * count + more_flops) / parts, count * element / parts + bytes};
  };
  const double logits = tokens * static_cast<double>(model.vocabulary) * element / parts;
  return {matrices(model.attention_matrices() + model.router(), square, between),
          expert_work(model, sequences, parts, element, 1, 1),
          matrices(model.head(), 0, model.vocabulary == 0 ? 0 : between / 2 + logits),
          {square / parts, 0}};
}

/// Bytes of one layer's activations that backward needs, of one micro-batch on one GPU.
/// Source: Korthikanti et al. 2022, arXiv:2205.05198, section 4, without what attention would keep
/// of the square of the sequence, which a fused kernel computes again.
/// Experts keep theirs of each token that comes to them: `load` times the even share.
inline double activation_bytes(const Transformer& model, double sequences, double parts,
                               double element, bool sequence_parallel, double load = 1) {
  const double two_byte_items = sequences * static_cast<double>(model.sequence) *
                                static_cast<double>(model.hidden) * element / 2;
  const double tokens = static_cast<double>(model.top_k) * load;
  const double whole = 7 + 3 * tokens, cut = 8 + 16 * tokens;
  return two_byte_items * (sequence_parallel ? (whole + cut) / parts : whole + cut / parts);
}

/// A name, a path, or a map. Throws InputError.
Transformer read_transformer(const Value& value);

}  // namespace ringscope
