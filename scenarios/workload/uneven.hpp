// SPDX-License-Identifier: LGPL-2.1-or-later
// Uneven loads of ranks or experts: drawn from a seed, or spelled out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/alltoall/pair_sizes.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Reads `imbalance` and, of the shape that it has, `shape`, `hot` and `seed`: a load for each of
/// `parts`, the mean being 1 and the largest `imbalance`. `kind` is the noun of a part: "rank".
/// Throws InputError.
std::vector<double> read_loads(Fields& fields, int parts, const std::string& kind);

/// Reads `sizes` of the options of an alltoallv: `even`, loads of the ranks that receive, or
/// `matrix`. Null where all are equal. Throws InputError.
std::shared_ptr<const PairSizes> read_pair_sizes(Fields& options, int ranks);

}  // namespace ringscope
