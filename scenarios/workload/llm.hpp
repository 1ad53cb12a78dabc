// The options of a job that trains a large language model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/steps/grid.hpp"
#include "algorithms/training/training.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Their names.
std::vector<std::string> llm_option_names();

/// Reads `options` of such a job, whose ranks stand in `grid`. Throws InputError, also where a
/// GPU's memory does not hold its part.
std::shared_ptr<const Training> read_llm(Fields& options, const Grid& grid);

}  // namespace ringscope
