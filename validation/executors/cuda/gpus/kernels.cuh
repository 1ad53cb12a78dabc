// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels, and how to start them: the only code that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace ringscope::cuda {

/// Bounds of the size of a grid, asked once of each GPU.
struct GridLimits {
  int multiprocessors = 1;
};

/// into[i] += from[i].
cudaError_t start_reduce(cudaStream_t stream, float* into, const float* from, std::size_t items,
                         const GridLimits& limits);
cudaError_t start_spin(cudaStream_t stream, double seconds);
cudaError_t start_nothing(cudaStream_t stream);

}  // namespace ringscope::cuda
