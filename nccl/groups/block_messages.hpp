// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages among the ranks of a group by the blocks of a kernel, as NCCL's communicator of the
// group sends them: KnownGroup::exchange.
//
// A block has room for eight chunks that are on their way: so much goes before the receiver is
// there, and a send ends when the receiver has taken all but so much.
//
// Source: NCCL 2.30.7, src/include/device.h, NCCL_STEPS; src/device/sendrecv.h; peer_channels.hpp.
#pragma once

#include <vector>

#include "algorithms/groups/group_messages.hpp"

namespace ringscope {

/// Requires that the options know the group's communicator.
Task exchange_by_blocks(Communicator group, std::vector<GroupMessage> messages, Options options);

}  // namespace ringscope
