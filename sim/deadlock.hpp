// What to say of a run in which nothing can happen any more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/rank_thread.hpp"

namespace ringscope::sim {

/// "deadlock at 41.2 us: rank 1 waits for 4 MiB from rank 0 (allreduce/ring, reduce-scatter, step
/// 2); ...", then a cycle of ranks that wait for each other where there is one.
std::string describe_deadlock(const Scenario& scenario, double now,
                              const std::vector<std::unique_ptr<RankThread>>& ranks);

}  // namespace ringscope::sim
