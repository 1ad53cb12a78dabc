// SPDX-License-Identifier: LGPL-2.1-or-later
// Range of what a fitted library was measured on: beyond it the model extrapolates.
#pragma once

#include <optional>

#include "topologies/input/input.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {

/// Sizes of messages and vectors, hosts, and ranks on one host that a fit has seen.
struct FittedRange {
  Bytes least{}, most{};
  int hosts = 1;
  int ranks_per_host = 1;
};

/// Key `fitted` of a library; nothing where it has none. `library` is its map. Throws InputError.
std::optional<FittedRange> fitted_range_of(const Value& library);

}  // namespace ringscope
