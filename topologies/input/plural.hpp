// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts in words.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace ringscope {

/// "1 rank", "2 ranks".
inline std::string plural(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace ringscope
