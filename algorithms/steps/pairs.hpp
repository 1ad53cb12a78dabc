// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks in pairs, 2i with 2i+1; with an odd number of ranks the last one is alone.
#pragma once

namespace ringscope {

constexpr int partner_of(int rank) { return rank ^ 1; }
constexpr bool has_partner(int rank, int ranks) { return partner_of(rank) < ranks; }

}  // namespace ringscope
