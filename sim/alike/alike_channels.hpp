// SPDX-License-Identifier: LGPL-2.1-or-later
// Channels of a kernel that are alike, so that one may be simulated for all of them.
//
// Found by colour refinement: blocks begin with the colour of their program (where it waits for any
// of several, that of one order), resources with that of their capacity. A block's next colour adds
// those of its peers and of what its messages use; a resource's those of the messages that use it.
// When no more colours come, blocks of one colour have peers of the same colours over resources of
// the same colours, each used alike: an equitable partition, by which max-min rates, being unique,
// are equal. Channels with as many blocks of each colour are alike. (A colour is a hash of 64 bits;
// that two differ and have the same is ruled out by their number.)
#pragma once

#include <optional>

#include "scenarios/question/scenario.hpp"
#include "sim/machine/machine.hpp"

namespace ringscope::sim {

/// True where channels of a kernel that carry as much along one order over one way have the same
/// times, whatever else the ranks do: nothing is drawn, or chosen, for one of them alone.
bool may_change_places(const Scenario& scenario);

/// Times that depend on more than what blocks send and on what way.
bool depends_on_more(const Scenario& scenario);

/// Nothing where no two are alike, or something beside the channels has a part in the times.
/// `options`: the job's, with its hosts. Adds the resources that stand for several to the ledger.
std::optional<ChannelFold> alike_channels(const Scenario& scenario, const Options& options,
                                          Machine& machine, Ledger& ledger);

}  // namespace ringscope::sim
