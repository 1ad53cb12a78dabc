// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of a job's algorithm: one line each in options.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/alltoall/pair_sizes.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/steps/grid.hpp"
#include "algorithms/training/training.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

// The options of a job that trains a model.

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

/// Reads `input` of the options, where it is there.
void read_input(Fields& options, Input& input);

// The options of a job that trains a large language model.

/// A job that does not fit into its GPUs' memory.
class TooLarge : public InputError {
 public:
  using InputError::InputError;
};

/// Reads `options` of such a job, whose ranks stand in `grid`. Throws InputError, also where a
/// GPU's memory does not hold its part. `nccl`: exchanges are NCCL's where nothing else is said,
/// else rings and sends that are posted at once.
std::shared_ptr<const Training> read_llm(Fields& options, const Grid& grid, bool nccl);

// Uneven loads of ranks or experts: drawn from a seed, or spelled out.

/// Reads `imbalance` and, of the shape that it has, `shape`, `hot` and `seed`: a load for each of
/// `parts`, the mean being 1 and the largest `imbalance`. `kind` is the noun of a part: "rank".
/// Throws InputError.
std::vector<double> read_loads(Fields& fields, int parts, const std::string& kind);

/// Reads `sizes` of the options of an alltoallv: `even`, loads of the ranks that receive, or
/// `matrix`. Null where all are equal. Throws InputError.
std::shared_ptr<const PairSizes> read_pair_sizes(Fields& options, int ranks);

// The groups of a job: `groups: {order: tp-dp-pp, tp: 8, pp: 2}`, or by lists of ranks.

/// Reads `groups` of the job: the kinds tp, cp, dp and pp, each by the number of ranks in a group
/// (innermost first in `order`), or all by lists of groups. What is left out has groups of one
/// rank, but dp has what is left. Throws InputError.
Grid read_groups(Fields& job, int ranks);

// The options of any algorithm.

struct ReadOptions {
  Options options;
  std::shared_ptr<const Training> training;  ///< target of the options' pointer; null: none
  std::shared_ptr<const PairSizes> sizes;    ///< target of the options' pointer; null: none
};

/// Reads `options` of the job: those that the algorithm names, each with its default. `ranks` of
/// the placement: no root beyond them. Throws InputError for others, also for those that only other
/// algorithms have.
/// `nccl`: collectives on groups are NCCL's where nothing else is said, else rings.
ReadOptions read_options(Fields& job, const Algorithm& algorithm, int ranks, bool nccl = false);

/// Whether its job has groups: such an algorithm is a program, which `program` names.
bool takes_groups(const Algorithm& algorithm);

/// True if the algorithm declares an option of this name.
bool reads(const Algorithm& algorithm, std::string_view option);

/// The algorithm of a collective that `value` names, one of those that `suits` takes, by default of
/// all. Throws InputError.
const Algorithm* algorithm_named(const Value& value, const std::string& collective,
                                 bool (*suits)(const Algorithm&) = nullptr);

/// A size in bytes from `least` to 512 TiB.
std::uint64_t read_size(const Value& value, std::uint64_t least);

// Limits of what a workload may say, so that no sum of it overflows.

inline constexpr std::int64_t most_records = 1'000'000'000'000;
inline constexpr int most_batch = 1'000'000;
inline constexpr double most_flops = 1e21;
/// Standard deviation of the times of devices, divided by their mean.
inline constexpr double most_variation = 0.3;
/// Standard deviation of the logarithm of a random factor.
inline constexpr double most_spread = 3;

}  // namespace ringscope
