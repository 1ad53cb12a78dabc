// SPDX-License-Identifier: LGPL-2.1-or-later
// Costs of kernels that exchange data themselves: `blocks` of a library.
#pragma once

#include "scenarios/library/library.hpp"

namespace ringscope {

/// `resolved` gets the map as it was read, defaults filled in. Throws InputError.
BlockCosts read_blocks(const Value& value, Value& resolved);

}  // namespace ringscope
