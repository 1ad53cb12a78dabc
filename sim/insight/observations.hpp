// SPDX-License-Identifier: LGPL-2.1-or-later
// Observations of all ranks' programs, summed up.
#pragma once

#include <span>
#include <vector>

#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

/// One entry per thing observed, in the order in which they first were.
std::vector<Observation> observations_of(std::span<const Observed> observed);

}  // namespace ringscope::sim
