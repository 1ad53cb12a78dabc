// SPDX-License-Identifier: LGPL-2.1-or-later
// Sends and receives of sizes that differ as one group, as NCCL does them (peers.hpp).
#include "nccl/choice/peers.hpp"

namespace ringscope {
namespace {

constexpr Selection nccl_alltoallv = {
    .collective = "alltoallv",
    .name = "nccl",
    .summary = "sends and receives with all, as NCCL groups them",
    .choose = choose_peers,
};

}  // namespace

Algorithm describe_nccl_alltoallv() { return peers_selector<nccl_alltoallv>({"sizes"}); }

}  // namespace ringscope
