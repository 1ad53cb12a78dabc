// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of a job that trains a model.
#pragma once

#include <memory>

#include "algorithms/training/training.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Their names, in the order in which they are read.
std::vector<std::string> training_option_names();

/// Reads those of `job.options` that the strategy names. Throws InputError.
std::shared_ptr<const Training> read_training(Fields& options, const Algorithm& strategy);

}  // namespace ringscope
