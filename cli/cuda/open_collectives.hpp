// SPDX-License-Identifier: LGPL-2.1-or-later
// The library of collectives that the program was built with.
#pragma once

#include <memory>

#include "validation/executors/cuda/gpus/collectives.hpp"

namespace ringscope::cuda {

/// Throws Failure (bad input) where the program was built without one.
std::unique_ptr<CollectiveLibrary> open_collectives(Gpus& gpus);

}  // namespace ringscope::cuda
