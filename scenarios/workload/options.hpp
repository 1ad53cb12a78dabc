// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of a job's algorithm: one line each in options.cpp.
#pragma once

#include <memory>

#include "algorithms/catalogue.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

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

/// The names of all options, in the order of the table.
std::vector<std::string> option_names();

/// The algorithm of a collective that `value` names, one of those that `suits` takes, by default of
/// all. Throws InputError.
const Algorithm* algorithm_named(const Value& value, const std::string& collective,
                                 bool (*suits)(const Algorithm&) = nullptr);

/// A size in bytes from `least` to 512 TiB.
std::uint64_t read_size(const Value& value, std::uint64_t least);

}  // namespace ringscope
