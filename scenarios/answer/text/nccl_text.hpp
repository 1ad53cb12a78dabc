// SPDX-License-Identifier: LGPL-2.1-or-later
// The rings and trees that NCCL would build for ranks on GPUs, and what it expects of them, as
// text.
#pragma once

#include <span>
#include <string>

#include "nccl/choice/tuning.hpp"
#include "nccl/search/job_channels.hpp"

namespace ringscope {

/// Channels of each kind of host, with their rates and ports; then the rings and trees of all
/// ranks, equal ones once.
std::string print_nccl(const Topology& topology, std::span<const nccl::GpuPlace> ranks);

/// Latency and bandwidth of each function, algorithm and protocol, as NCCL prints them with
/// NCCL_DEBUG_SUBSYS=TUNING; then by size the time that it expects of each, and its choice.
std::string print_nccl_tuning(const nccl::Platform& machine, int ranks, int hosts);

}  // namespace ringscope
