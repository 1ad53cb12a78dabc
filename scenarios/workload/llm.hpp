// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of a job that trains a large language model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/steps/grid.hpp"
#include "algorithms/training/training.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// A job that does not fit into its GPUs' memory.
class TooLarge : public InputError {
 public:
  using InputError::InputError;
};

/// Their names.
std::vector<std::string> llm_option_names();

/// Reads `options` of such a job, whose ranks stand in `grid`. Throws InputError, also where a
/// GPU's memory does not hold its part. `nccl`: exchanges are NCCL's where nothing else is said,
/// else rings and sends that are posted at once.
std::shared_ptr<const Training> read_llm(Fields& options, const Grid& grid, bool nccl);

}  // namespace ringscope
