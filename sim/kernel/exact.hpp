// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers in which rates are solved.
#pragma once

#include <qd/dd_real.h>

#include <bit>
#include <cstdint>

namespace ringscope::sim {

/// At least 106 bits. A rate is the double that is nearest to the true one: in whatever order a
/// solver adds, its error is some 2^-50 of the gap between two doubles, so that all solvers give
/// the same one. It matters since fair sharing magnifies: a flow that begins d earlier than another
/// one that it meets on a link ends 2 d earlier, and hundreds of meetings in a row make of the 16th
/// digit the second (kernel_sharing_test.cpp).
using Exact = dd_real;

/// The nearest double; halfway between two, up to the error of sums, the even one: which side of
/// the middle a sum ends on depends on the order in which it was added.
inline double rounded(const Exact& number) {
  constexpr double error = 0x1p-40;  // of half a gap; sums of 2^-106 leave 2^-52 of it
  const double nearest = number.x[0];
  const double other = nearest + number.x[1] * (1 + error);
  return other == nearest || (std::bit_cast<std::uint64_t>(nearest) & 1) == 0 ? nearest : other;
}

/// Date at which `left` is done, begun at `since`.
inline double date_of(double since, const Exact& left, double rate) {
  return rounded(since + left / rate);
}

}  // namespace ringscope::sim
