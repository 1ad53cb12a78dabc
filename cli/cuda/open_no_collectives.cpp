// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cuda/open_gpus.hpp"
#include "cli/terminal/failure.hpp"

namespace ringscope::cuda {

std::unique_ptr<CollectiveLibrary> open_collectives(Gpus&) {
  throw BadInput("ringscope-cuda was built without NCCL: CMake found no nccl.h or no libnccl");
}

}  // namespace ringscope::cuda
