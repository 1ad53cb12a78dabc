// SPDX-License-Identifier: LGPL-2.1-or-later
// ncclAllReduce as NCCL chooses it: a ring, the double binary tree or the switches of NVLink
// SHARP, by what it expects each to take with the best of its protocols (tuning.hpp).
//
// Where the library says what each protocol costs (`blocks`), rings and trees are those of a
// kernel's channels. Elsewhere the protocol decides only where ring and tree give way to each
// other: what a message costs is then the scenario's library profile's to say. NCCL cuts what goes
// up a tree by rules of its own; here `segment` does.
#include "nccl/choice/choice.hpp"

namespace ringscope {
namespace {

constexpr Selection nccl_allreduce = {
    .collective = "allreduce",
    .name = "nccl",
    .summary = "ring, double binary tree or NVLS, as NCCL expects it to take least",
    .choose = choose_nccl<nccl::Function::allreduce>,
};

}  // namespace

Algorithm describe_nccl_allreduce() {
  return nccl_selector<nccl_allreduce>({"segment", "algorithm"});
}

}  // namespace ringscope
