// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks of a trace that need no clock.
#pragma once

#include <functional>
#include <string>

#include "algorithms/traces/trace.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Throws InputError, at a node's place, where nodes wait for each other in a circle, a message has
/// no partner or does not fit its receive, or ranks of a group begin different collectives. `words`
/// says in errors which node it is; a file of GOAL needs none, as each node has a line.
void require_sound(const traces::Trace& trace, const std::function<Place(traces::NodeId)>& place,
                   const std::function<std::string(traces::NodeId)>& words = {});

}  // namespace ringscope
