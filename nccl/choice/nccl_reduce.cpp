// SPDX-License-Identifier: LGPL-2.1-or-later
// ncclReduce as NCCL does it: a chain to the root, by the protocol that it expects to take least
// (tuning.hpp). Without `blocks` it is the ring
// of one channel, which sums chunk by chunk.
#include "nccl/choice/choice.hpp"

namespace ringscope {
namespace {

constexpr Selection nccl_reduce = {
    .collective = "reduce",
    .name = "nccl",
    .summary = "a chain to the root, by the protocol that NCCL expects to take least",
    .choose = choose_nccl<nccl::Function::reduce>,
};

}  // namespace

Algorithm describe_nccl_reduce() { return nccl_selector<nccl_reduce>({"root"}); }

}  // namespace ringscope
