// SPDX-License-Identifier: LGPL-2.1-or-later
// Models to train: layers with times; transformers with their parameters, operations and bytes.
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

#include "algorithms/training/training.hpp"
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

/// One matrix of a layer.
struct Matrix {
  double inputs = 0, outputs = 0;
};

/// Ranks of latent attention (MLA), by which queries, and keys and values, are projected down and
/// up. DeepSeek-AI 2024, arXiv:2405.04434, section 2.1.
struct Latent {
  std::uint64_t queries = 0;  ///< 0: projected at once
  std::uint64_t keys = 0;     ///< of keys and values; 0: no latent attention
  std::uint64_t rotary = 0;   ///< further width of a head's queries, and of keys that heads share
};

struct Transformer {
  std::string name, about;
  std::uint64_t layers = 1, hidden = 1, heads = 1, key_value_heads = 1, intermediate = 1;
  std::uint64_t head_size = 1;
  Latent latent;
  std::uint64_t vocabulary = 0, sequence = 1, positions = 0;
  std::uint64_t experts =
      1;  ///< of each layer: MLPs of which a router chooses top_k for each token
  std::uint64_t top_k = 1;
  std::uint64_t shared_intermediate = 0;  ///< of an MLP beside the experts, which takes all tokens
  std::uint64_t dense_layers = 0;         ///< with an MLP in place of experts
  std::uint64_t dense_intermediate = 0;   ///< width inside that MLP
  std::uint64_t window = 0;               ///< tokens before it that one attends to; 0: all
  std::uint64_t windowed_layers = 0;      ///< which have that window
  bool gated = false;                     ///< the MLP has a third matrix
  bool biases = false;                    ///< of all matrices, and of the norms
  bool tied = false;                      ///< the embedding is the output layer too
  std::uint64_t records = 1;
  Value resolved;

  std::uint64_t key_size() const { return head_size + latent.rotary; }
  std::uint64_t query_width() const { return heads * key_size(); }
  /// Keys and values of a token.
  std::uint64_t key_value_width() const { return key_value_heads * (key_size() + head_size); }
  /// Values that attention makes of them.
  std::uint64_t result_width() const { return heads * head_size; }
  /// Multiply-adds of a pair of tokens, in all heads, in each of attention's two products: a mean.
  double pair_width() const { return static_cast<double>(query_width() + result_width()) / 2; }
  /// Pairs of tokens that meet, as a share of all.
  double pair_share() const;
  /// Matrices of attention, cut over `parts` GPUs; projections down to a rank are whole on each.
  std::vector<Matrix> attention(double parts) const;
  std::uint64_t attention_matrices() const;
  /// Parameters of the matrices of an MLP, or of one expert, of so many inside.
  std::uint64_t mlp_matrices(std::uint64_t inside) const {
    return (gated ? 3 : 2) * hidden * inside;
  }
  std::uint64_t mlp_matrices() const { return mlp_matrices(intermediate); }
  std::uint64_t router() const { return experts > 1 ? hidden * experts : 0; }
  std::uint64_t expert_layers() const { return layers - dense_layers; }
  double expert_share() const {
    return static_cast<double>(expert_layers()) / static_cast<double>(layers);
  }
  /// Mean of all layers: parameters of their MLPs, or of all their experts.
  double expert_parameters() const;
  double layer_parameters() const;
  std::uint64_t embedding() const { return (vocabulary + positions) * hidden; }
  std::uint64_t head() const { return vocabulary * hidden; }
  std::uint64_t parameters() const;
};

/// Operations of a step for each token: 6 for each parameter of a matrix that it meets, and 12 for
/// each token of its sequence and hidden unit: arXiv:2204.02311, appendix B.
double flops_per_token(const Transformer& model);

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
/// One expert is a plain MLP. Mean of all layers, with the MLP that all tokens take.
Work expert_work(const Transformer& model, double sequences, double parts, double element,
                 double ranks, double load);

/// Forward passes of `sequences` sequences, each layer cut over `parts` GPUs; an element has
/// `element` bytes. Weights are read once, inputs read and outputs written once.
struct LayerWork {
  Work attention, mlp, head;
  Work square;  ///< of attention: each token with each
};
LayerWork forward_work(const Transformer& model, double sequences, double parts, double element);

/// Bytes of one layer's activations that backward needs, of one micro-batch on one GPU.
/// Source: Korthikanti et al. 2022, arXiv:2205.05198, section 4, without what attention would keep
/// of the square of the sequence, which a fused kernel computes again.
/// Experts keep theirs of each token that comes to them: `load` times the even share.
double activation_bytes(const Transformer& model, double sequences, double parts, double element,
                        bool sequence_parallel, double load = 1);

/// Map of a language model for a published `config.json` (Hugging Face); any other map as it is.
/// Throws InputError where the model is none whose layers are described here.
Value from_config_json(const Value& map);

/// A name, a path, or a map. Throws InputError.
Transformer read_transformer(const Value& value);

// A model to train, as a scenario names it: a file in scenarios/models/, or a map.

struct Model {
  std::string name;           ///< the file's stem, '*' behind it if changed; "inline"
  std::string about;          ///< one line
  std::uint64_t records = 0;  ///< of an epoch
  Bytes record{};             ///< of one, as stored
  int batch = 1;              ///< for the layers' times
  std::vector<Layer> layers;
  Value resolved;
};

/// A name, a path, or a map, which may stand on one of these with `base`. The time of a step is
/// split among the layers in proportion to their `flops`, and `backward` says how many times as
/// long as forward it takes. Throws InputError, also where the layers' parameters do not add up to
/// those of the model.
Model read_model(const Value& value);

// A map that a scenario names: a file in a folder of data, a path, or the map itself.

/// One map, with its name: the file's stem, '*' behind it if changed; "inline".
struct Written {
  std::string name;
  Value map;
};

/// The map may stand on a file with `base`. `kind` is the noun: "model". Throws InputError.
Written read_written(const Value& value, const std::string& folder, const std::string& kind);

}  // namespace ringscope
