// SPDX-License-Identifier: LGPL-2.1-or-later
// The GPUs that the program runs on: those of this machine, or fake ones.
#pragma once

#include <memory>

#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {

/// Throws Failure (bad input) where there are none.
std::unique_ptr<Gpus> open_gpus();

}  // namespace ringscope::cuda
