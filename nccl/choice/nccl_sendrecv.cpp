// SPDX-License-Identifier: LGPL-2.1-or-later
// A send to the next rank and a receive from the one before, as NCCL groups them (peers.hpp).
#include "nccl/choice/peers.hpp"

namespace ringscope {
namespace {

constexpr Selection nccl_sendrecv = {
    .collective = "sendrecv",
    .name = "nccl",
    .summary = "a send to the next rank and a receive, as NCCL groups them",
    .choose = choose_peers,
};

}  // namespace

Algorithm describe_nccl_sendrecv() { return peers_selector<nccl_sendrecv>(); }

}  // namespace ringscope
