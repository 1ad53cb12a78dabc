// SPDX-License-Identifier: LGPL-2.1-or-later
// Rings of eight AMD GPUs that are joined by a link each two: RCCL searches for none there.
#pragma once

#include <optional>

#include "nccl/search/channels_of_host.hpp"

namespace ringscope::nccl {

/// Nothing on other hosts, and where there are several. Requires the paths of the graph.
std::optional<HostChannels> xgmi_channels(const HostGraph& graph);

}  // namespace ringscope::nccl
