// SPDX-License-Identifier: LGPL-2.1-or-later
// NCCL, one process with a rank on each GPU.
#pragma once

#include "validation/executors/cuda/gpus/collectives.hpp"

namespace ringscope::cuda {

/// Over the streams of make_cuda_gpus().
std::unique_ptr<CollectiveLibrary> make_nccl(const Gpus& gpus);

}  // namespace ringscope::cuda
