// A job's machine as NCCL's search would describe it.
#pragma once

#include <memory>

#include "algorithms/selectors/nccl_tuning.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope {

/// Null where the library does not say what its blocks cost, or a rank is not on a GPU.
std::shared_ptr<const nccl::Machine> nccl_machine(const Scenario& scenario);

}  // namespace ringscope
