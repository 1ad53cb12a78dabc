// SPDX-License-Identifier: LGPL-2.1-or-later
// ncclBroadcast as NCCL does it: a chain from the root, by the protocol that it expects to take
// least (tuning.hpp), with `blocks`; without, a chain in segments.
#include "nccl/choice/choice.hpp"

namespace ringscope {
namespace {

constexpr Selection nccl_broadcast = {
    .collective = "broadcast",
    .name = "nccl",
    .summary = "a chain from the root, by the protocol that NCCL expects to take least",
    .choose = choose_nccl<nccl::Function::broadcast>,
};

}  // namespace

Algorithm describe_nccl_broadcast() { return nccl_selector<nccl_broadcast>({"root", "segment"}); }

}  // namespace ringscope
