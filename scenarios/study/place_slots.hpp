// SPDX-License-Identifier: LGPL-2.1-or-later
// Slots that `place` may use.
#pragma once

#include <vector>

#include "scenarios/study/place_study.hpp"

namespace ringscope {

/// Slots of each host beside background jobs, from the keys `slots` and `taken`; 0 on taken hosts.
/// The default is all cores or GPUs. Enters hosts in `study.shared`.
std::vector<int> read_slots(Fields& fields, PlaceStudy& study);

/// True if the user's ranks take all GPUs of each host that they use, and each free host has a slot
/// on each of its GPUs.
bool fills_hosts(const PlaceStudy& study);

}  // namespace ringscope
