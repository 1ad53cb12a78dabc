// SPDX-License-Identifier: LGPL-2.1-or-later
// The channels of one host, found by searches at one rate after the other.
#pragma once

#include <optional>

#include "nccl/search/search.hpp"

namespace ringscope::nccl {

// The limit of heads of NVLS.

/// Heads of NVLS on a host, however many GPUs it has. Source: NCCL 2.30.7, src/include/device.h,
/// NCCL_MAX_NVLS_ARITY; src/graph/search.cc, ncclTopoCompute.
inline constexpr int most_heads = 32;

// The channels.

/// Most rings before each is doubled: 32 in NCCL 2.18 to 2.23; later ones have 64.
inline constexpr int most_rings = 32;

struct HostChannels {
  Found ring, tree, multicast;
};

/// Rings of eight AMD GPUs of one host, each two joined by a link, for which RCCL searches none.
/// Nothing elsewhere. Requires the paths of the graph.
std::optional<HostChannels> xgmi_channels(const HostGraph& graph);

/// Where no search finds any, one channel in the order of the GPUs' numbers, as NCCL has it.
HostChannels channels_of_host(const HostGraph& graph);

}  // namespace ringscope::nccl
