// SPDX-License-Identifier: LGPL-2.1-or-later
// A collective among a program's groups: which algorithm, and with which options.
#pragma once

#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

struct CollectiveStep {
  const Algorithm* algorithm = nullptr;
  Options options;
  const Value* bytes = nullptr;  ///< null: a collective without data
};

/// Collectives that run among groups, each on one thread of a rank.
std::vector<std::string> collectives_for_steps();

/// Reads the step's size, `algorithm` and `options`. `ranks`: of the smallest group. Throws
/// InputError. `nccl`: it is NCCL's where nothing else is said.
CollectiveStep read_collective_step(Fields& step, const std::string& collective, int ranks,
                                    bool nccl);

}  // namespace ringscope
