// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of a scenario that do not fit each other: the library, the machine, the ranks' places.
#pragma once

#include <string>
#include <vector>

#include "scenarios/question/scenario.hpp"

namespace ringscope {

/// A sentence for each: what does not fit what, and what to write instead.
std::vector<std::string> misfits(const Scenario& scenario);

/// Libraries that specify NCCL's costs on the GPUs of the cluster: nccl_a100 on a100x4_nvlink.
std::vector<std::string> nccl_libraries(const Cluster& cluster);

}  // namespace ringscope
