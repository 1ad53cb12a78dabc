// SPDX-License-Identifier: LGPL-2.1-or-later
// Channels of a kernel that do the same, of which executors that have no data perform one for all.
//
// Two channels that carry as much along one order over one way may change places, and nothing else
// changes, whatever runs beside them: so they have the same times.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// For how many channels each is performed: itself and those like it; 0 where an earlier one is
/// performed for it. `parts`: theirs of the vector; `kinds`: numbers that differ where channels
/// with parts of one size do other things, by channel; none: they never do.
std::vector<int> performed_for(Communicator comm, const std::vector<Range>& parts,
                               const std::vector<int>& kinds, const Options& options);

}  // namespace ringscope
