// SPDX-License-Identifier: LGPL-2.1-or-later
// Diagnosis of a run in which nothing can happen any more.
#pragma once

#include <memory>
#include <vector>

#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

/// Its message: "deadlock at 41.2 us: rank 1 waits for 4 MiB from rank 0 (allreduce/ring,
/// reduce-scatter, step 2); ...". Then, each on a line of its own where there is such a thing: a
/// cycle of ranks that wait for each other; the eager limits that made a send wait. `now` in
/// seconds.
Deadlock describe_deadlock(const Scenario& scenario, const Jobs& jobs, double now,
                           const std::vector<std::unique_ptr<RankThread>>& ranks);

}  // namespace ringscope::sim
