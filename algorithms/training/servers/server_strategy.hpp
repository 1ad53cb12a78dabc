// SPDX-License-Identifier: LGPL-2.1-or-later
// Strategies with servers: devices push their gradients, the last ranks sum them, update, and send
// the weights back.
#pragma once

#include <initializer_list>
#include <string_view>

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// `options`: those beside the ones that all have. With `splits` the first server sends each device
/// its part of the batch, and merges the outputs of all before any begins backward.
Algorithm server_strategy(std::string_view name, std::string_view summary,
                          std::initializer_list<std::string_view> options, bool splits = false);

}  // namespace ringscope
