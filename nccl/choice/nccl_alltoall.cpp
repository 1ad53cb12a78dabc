// SPDX-License-Identifier: LGPL-2.1-or-later
// Sends and receives with all ranks as one group, as NCCL does them (peers.hpp).
#include "nccl/choice/peers.hpp"

namespace ringscope {
namespace {

constexpr Selection nccl_alltoall = {
    .collective = "alltoall",
    .name = "nccl",
    .summary = "sends and receives with all, as NCCL groups them",
    .choose = choose_peers,
};

}  // namespace

Algorithm describe_nccl_alltoall() { return peers_selector<nccl_alltoall>(); }

}  // namespace ringscope
