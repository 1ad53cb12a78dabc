// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of a library's file: `blocks`, `spread`, `uncached` and `fitted`.
#pragma once

#include <optional>

#include "scenarios/library/library.hpp"
#include "topologies/input/input.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {

/// Costs of kernels that exchange data themselves.
/// `resolved` gets the map as it was read, defaults filled in. Throws InputError.
BlockCosts read_blocks(const Value& value, Value& resolved);

/// Key `spread` of a library. Throws InputError.
SpreadBands read_spread(const Value& value);

// Costs that depend on the caches' size: of jobs with longer vectors than a library says.

/// Refuses what is wrong with a library's `uncached`, also where no job has such vectors.
/// `resolved` is the library as it was read. Throws InputError.
void check_uncached(const Value& resolved);

/// Fits `library` to a job whose vectors have `bytes` bytes; a second call forgets the first.
void take_vectors(Library& library, Bytes vector);

/// Key `fitted` of a library; nothing where it has none. `library` is its map. Throws InputError.
std::optional<FittedRange> read_fitted(const Value& library);

}  // namespace ringscope
