// ncclReduceScatter as NCCL does it: a ring, by the protocol that it expects to take least
// (nccl_tuning.hpp).
#include "algorithms/selectors/nccl_choice.hpp"

namespace ringscope {
namespace {

constexpr Selection selection = {
    .collective = "reduce_scatter",
    .name = "nccl",
    .summary = "a ring, by the protocol that NCCL expects to take least",
    .choose = choose_nccl<nccl::Function::reduce_scatter>,
};

}  // namespace

Algorithm describe_nccl_reduce_scatter() { return nccl_selector<selection>({}); }

}  // namespace ringscope
