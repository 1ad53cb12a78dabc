// SPDX-License-Identifier: LGPL-2.1-or-later
// The value to blame where values of a map contradict each other.
#pragma once

#include "topologies/input/input.hpp"

namespace ringscope {

/// The first value below `map` that --set laid over it, or the map itself.
const Value& suspect_in(const Value& map);

}  // namespace ringscope
