// SPDX-License-Identifier: LGPL-2.1-or-later
// The rings and trees that NCCL would build for ranks on GPUs, as text.
#pragma once

#include <span>
#include <string>

#include "nccl/search/job_channels.hpp"

namespace ringscope {

/// Channels of each kind of host, with their rates and ports; then the rings and trees of all
/// ranks, equal ones once.
std::string print_nccl(const Topology& topology, std::span<const nccl::GpuPlace> ranks);

}  // namespace ringscope
