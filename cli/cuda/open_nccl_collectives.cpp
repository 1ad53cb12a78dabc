// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cuda/open_gpus.hpp"
#include "validation/executors/cuda/gpus/collectives.hpp"

namespace ringscope::cuda {

std::unique_ptr<CollectiveLibrary> open_collectives(Gpus& gpus) { return make_nccl(gpus); }

}  // namespace ringscope::cuda
