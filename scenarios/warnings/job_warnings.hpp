// SPDX-License-Identifier: LGPL-2.1-or-later
// Warnings about an answer that the model gives without a word.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/question/scenario.hpp"

namespace ringscope {

/// One sentence for each; nothing when all is well. Of hosts with several NICs: that a ring uses
/// one, and that NCCL, as it is modelled, does too.
std::vector<std::string> job_warnings(const Scenario& scenario);

/// Those of them that are likely slips: keys that change nothing, units, ranks in the wrong place.
std::vector<std::string> slips(const Scenario& scenario);

/// Those about memory and cores of hosts that the input of a training job takes.
std::vector<std::string> input_warnings(const Scenario& scenario);

/// Libraries that specify NCCL's costs on the GPUs of the cluster: nccl_a100 on a100x4_nvlink.
std::vector<std::string> nccl_libraries(const Cluster& cluster);

/// Data sheets of the cluster's GPUs: scenarios/models/gpus.
std::vector<std::string> gpu_sheets(const Cluster& cluster);

/// Generation of the GPUs that the cluster is called after; none of GPUs without a data sheet.
std::optional<nccl::Generation> gpu_generation(const Cluster& cluster);

/// Hosts, ranks, size and collective of the job that the library's fit has not seen; `bytes` 0: any
/// size is taken to be seen.
std::vector<std::string> beyond_fit(const Scenario& scenario, Bytes bytes);

/// Those about hosts with several NICs. `replaced`: another warning tells what to simulate in place
/// of one channel.
std::vector<std::string> nic_warnings(const Scenario& scenario, bool replaced);

}  // namespace ringscope
