// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages among the ranks of a group by the blocks of a kernel, as NCCL's communicator of the
// group sends them: KnownGroup::exchange.
//
// Up to eight chunks are sent before the receiver takes any. A send ends when at most eight are
// not yet taken.
//
// Source: NCCL 2.30.7, src/include/device.h, NCCL_STEPS; src/device/sendrecv.h; peer_channels.hpp.
#pragma once

#include <vector>

#include "algorithms/groups/on_group.hpp"

namespace ringscope {

/// Requires that the options know the group's communicator.
Task exchange_by_blocks(Communicator group, std::vector<GroupMessage> messages, Options options);

}  // namespace ringscope
