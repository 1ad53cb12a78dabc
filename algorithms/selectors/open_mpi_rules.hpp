// SPDX-License-Identifier: LGPL-2.1-or-later
// The shape of Open MPI's fixed decisions (component `tuned`): by the number of ranks, and then by
// the vector's bytes.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ringscope::open_mpi {

/// Vectors of fewer than `below` bytes get `name`.
struct SizeRule {
  std::uint64_t below = UINT64_MAX;
  std::string_view name;
};

/// Fewer than `below` ranks use `sizes`.
struct RanksRule {
  int below = INT_MAX;
  std::vector<SizeRule> sizes;  ///< by rising size; the last one takes the rest
};

/// `rules` by rising number of ranks; the last one takes the rest.
inline std::string_view look_up(const std::vector<RanksRule>& rules, int ranks,
                                std::uint64_t bytes) {
  const auto rule = std::find_if(rules.begin(), rules.end() - 1,
                                 [&](const RanksRule& row) { return ranks < row.below; });
  const auto size = std::find_if(rule->sizes.begin(), rule->sizes.end() - 1,
                                 [&](const SizeRule& row) { return bytes < row.below; });
  return size->name;
}

}  // namespace ringscope::open_mpi
