// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/check.hpp"

#include <algorithm>

namespace ringscope {

std::ptrdiff_t first_difference(std::span<const float> got, std::span<const float> expected) {
  const auto [place, other] =
      std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  return place == got.end() && other == expected.end() ? -1 : place - got.begin();
}

}  // namespace ringscope
