// SPDX-License-Identifier: LGPL-2.1-or-later
// Slurm's lists of names: "n[01-03,7],gpu[1-2]-[a,b]".
#pragma once

#include <string>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope {

/// The names in the order in which the list has them; "n[01-03]" is n01, n02, n03. Throws
/// InputError at the list's place.
std::vector<std::string> names_of_hostlist(const Value& list);

}  // namespace ringscope
