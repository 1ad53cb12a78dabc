// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties of an NCCL communicator, from the channels that a search found, or a log has.
#pragma once

#include <vector>

#include "nccl/choice/tuning.hpp"
#include "nccl/search/job_channels.hpp"

namespace ringscope::nccl {

/// The machine that is `installed` (generation, version, issue), with the channels that were found.
/// `switches`: the library makes use of switches that add up and copy.
Platform machine_of(const JobChannels& found, Platform installed, bool switches);

/// The most threads of a rank that any collective takes.
int most_threads(const Platform& machine);
/// The most channels that a message between two ranks takes.
int channels_of_message(const Platform& machine);

/// The first channel with the ring and the NICs of each.
std::vector<int> first_equal_channels(const JobChannels& found);

}  // namespace ringscope::nccl
