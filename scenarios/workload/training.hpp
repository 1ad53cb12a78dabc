// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of a job that trains a model.
#pragma once

#include <memory>

#include "algorithms/training/training.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Their names, in the order in which they are read.
std::vector<std::string> training_option_names();

/// Memory of a device's GPU that training takes at least.
struct DeviceMemory {
  double parameters = 0;   ///< bytes of the parameters, their gradients and their momenta
  double activations = 0;  ///< bytes for each record of the batch
};

/// Parameters and gradients have an element each, momenta 4 bytes (SGD; Adam has two of them).
/// Backward needs what each layer has put out: Rhu et al., "vDNN", 2016, arXiv:1602.08124, sections
/// 2.1 and 2.2, where VGG-16 with a batch of 256 takes 28 GB: with gradients of the activations and
/// workspace about twice this sum, which is why it is a lower bound.
DeviceMemory least_memory(const Training& training);

/// Bytes of its host's memory that a device takes at least: mapped files, pinned buffers, and the
/// batches that may lie ready.
double host_memory(const Training& training);

/// Ranks that train, the first ones: those behind them are servers.
int devices_of(const Algorithm& strategy, const Options& options, int ranks);

/// Reads those of `job.options` that the strategy names. `nccl`: ranks have a GPU each, and the
/// library what NCCL's blocks cost, so that frameworks exchange gradients by NCCL. Throws
/// InputError.
std::shared_ptr<const Training> read_training(Fields& options, const Algorithm& strategy,
                                              bool nccl);

}  // namespace ringscope
