// SPDX-License-Identifier: LGPL-2.1-or-later
// A library that sums in the host's memory, over FakeGpus: a rank takes as long as a copy does.
#pragma once

#include <memory>

#include "validation/executors/cuda/gpus/collectives.hpp"

namespace ringscope::cuda {

/// Refuses two ranks on one GPU, as NCCL does.
std::unique_ptr<CollectiveLibrary> make_fake_collectives(Gpus& gpus);

}  // namespace ringscope::cuda
