// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels of one GPU in a layer of a transformer: times by shape and precision. Arithmetic only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope {

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

}  // namespace ringscope
