// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of a job that `place` moves, and ranks that must be on different hosts.
#pragma once

#include "scenarios/study/place_study.hpp"

namespace ringscope {

/// Reads `move`, `pin` and `apart` of the map `place`: `study.moved`, and in the rules `ranks`,
/// `apart` and `closed`. All ranks move by default. Throws InputError.
void read_moved_ranks(Fields& place, PlaceStudy& study);

}  // namespace ringscope
