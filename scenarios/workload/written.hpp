// SPDX-License-Identifier: LGPL-2.1-or-later
// A map that a scenario names: a file in a folder of data, a path, or the map itself.
#pragma once

#include <string>

#include "topologies/input/input.hpp"

namespace ringscope {

/// One map, with the name that it goes by: the file's stem, '*' behind it if changed; "inline".
struct Written {
  std::string name;
  Value map;
};

/// The map may stand on a file with `base`. `kind` is the noun: "model". Throws InputError.
Written read_written(const Value& value, const std::string& folder, const std::string& kind);

}  // namespace ringscope
