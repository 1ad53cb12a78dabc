// Proof that the hosts of a placement may change places and nothing else changes.
#pragma once

#include <string>

#include "topologies/placement/placement.hpp"

namespace ringscope::sim {

/// Why rank r + n is not placed on its host as rank r on another, for all ranks and n ranks on each
/// host; "" where it is.
std::string unequal_places(const Placement& placement);

/// Why the hosts of these ranks are not like each other, part by part and link by link, around one
/// switch; "" where they are.
std::string unequal_hosts(const Topology& topology, const Placement& placement);

/// Why a message's way may go by which ranks it is between: where several routes are as short, for
/// the ranks of the first host and of one more; "" where there are none.
std::string several_routes(const Topology& topology, const Placement& placement);

/// Ranks on the first host. Requires at least one rank.
int ranks_per_host(const Placement& placement);

}  // namespace ringscope::sim
