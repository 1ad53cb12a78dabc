// SPDX-License-Identifier: LGPL-2.1-or-later

#include "cli/cuda/open_gpus.hpp"
#include "cli/terminal/failure.hpp"
#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {

std::unique_ptr<Gpus> open_gpus() {
  try {
    return make_cuda_gpus();
  } catch (const GpuError& error) {
    throw BadInput("no GPU found: {}", error.what());
  }
}

}  // namespace ringscope::cuda
