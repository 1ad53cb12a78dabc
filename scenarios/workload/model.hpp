// SPDX-License-Identifier: LGPL-2.1-or-later
// A model to train, as a scenario names it: a file in scenarios/models/, or a map.
#pragma once

#include <string>

#include "algorithms/training/training.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

struct Model {
  std::string name;           ///< the file's stem, '*' behind it if changed; "inline"
  std::string about;          ///< one line
  std::uint64_t records = 0;  ///< of an epoch
  Bytes record{};             ///< of one, as stored
  int batch = 1;              ///< for the layers' times
  std::vector<Layer> layers;
  Value resolved;
};

/// A name, a path, or a map, which may stand on one of these with `base`. The time of a step is
/// split among the layers in proportion to their `flops`, and `backward` says how many times as
/// long as forward it takes. Throws InputError, also where the layers' parameters do not add up to
/// those of the model.
Model read_model(const Value& value);

// A map that a scenario names: a file in a folder of data, a path, or the map itself.

/// One map, with its name: the file's stem, '*' behind it if changed; "inline".
struct Written {
  std::string name;
  Value map;
};

/// The map may stand on a file with `base`. `kind` is the noun: "model". Throws InputError.
Written read_written(const Value& value, const std::string& folder, const std::string& kind);

}  // namespace ringscope
