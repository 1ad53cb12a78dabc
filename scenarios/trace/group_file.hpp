// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of ranks that a trace's collectives name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope::chakra {

/// Ranks by the name of their group.
using Groups = std::map<std::string, std::vector<int>>;

/// ASTRA-sim's file of groups: {"1": [0, 1], "2": [2, 3]}. Throws InputError.
Groups read_group_file(const std::string& path, int ranks);

/// Groups that a metadata node of PyTorch lists, [{"pg_name": "1", "ranks": [0, 1]}, ...], added to
/// the others; `text` as it stands there. False where the text is something else. Throws
/// InputError, with `words` for the node, where it lists ranks that are none.
bool add_listed_groups(const std::string& text, int ranks, const Place& place,
                       const std::string& words, Groups& into);

}  // namespace ringscope::chakra
