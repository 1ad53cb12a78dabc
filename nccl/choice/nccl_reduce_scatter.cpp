// SPDX-License-Identifier: LGPL-2.1-or-later
// ncclReduceScatter as NCCL does it: a ring or, with one GPU on each host, parallel trees, by
// what it expects each to take with the best of its protocols (tuning.hpp).
#include "nccl/choice/choice.hpp"

namespace ringscope {
namespace {

constexpr Selection nccl_reduce_scatter = {
    .collective = "reduce_scatter",
    .name = "nccl",
    .summary = "a ring or parallel trees, as NCCL expects it to take less",
    .choose = choose_nccl<nccl::Function::reduce_scatter>,
};

}  // namespace

Algorithm describe_nccl_reduce_scatter() {
  return nccl_selector<nccl_reduce_scatter>({"algorithm"});
}

}  // namespace ringscope
