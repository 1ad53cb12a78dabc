// SPDX-License-Identifier: LGPL-2.1-or-later
// Place, time and means of a measurement on the GPUs of this machine.
#pragma once

#include <span>
#include <string>

#include "validation/executors/cuda/gpus/gpus.hpp"
#include "validation/executors/measurement.hpp"

namespace ringscope::cuda {

/// `devices`: the GPU of each rank; of probes, each GPU.
Provenance provenance_on(Gpus& gpus, std::span<const int> devices, const std::string& command);

}  // namespace ringscope::cuda
