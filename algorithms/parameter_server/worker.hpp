// SPDX-License-Identifier: LGPL-2.1-or-later
// The worker's side of every parameter server, whatever the servers agree on.
#pragma once

#include "algorithms/parameter_server/roles.hpp"

namespace ringscope {

/// The options that all parameter servers read, and those that one more of them reads.
std::vector<std::string_view> parameter_server_options(
    std::initializer_list<std::string_view> others = {});

/// Computes a gradient, pushes it, pulls the weights, and so `options.steps` times. The gradient is
/// `work.data`, the weights are pulled into `work.scratch`. Observes "step" at the end of each.
Task work_of_worker(Communicator comm, Roles roles, Workspace work, Options options);

}  // namespace ringscope
