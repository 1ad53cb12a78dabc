// SPDX-License-Identifier: LGPL-2.1-or-later
// The real GPUs of this machine, over the CUDA runtime.
#pragma once

#include <memory>

#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {

/// Throws GpuError where there is no GPU, or no driver for it.
std::unique_ptr<Gpus> make_cuda_gpus();

/// The cudaStream_t of a stream of theirs, for libraries that put work of their own into it.
void* native_stream(const Gpus& gpus, Stream stream);

}  // namespace ringscope::cuda
