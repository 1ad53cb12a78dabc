// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers in which rates are solved.
#pragma once

#include <qd/dd_real.h>

namespace ringscope::sim {

/// At least 106 bits. A rate is the double that is nearest to the true one: in whatever order a
/// solver adds, its error is some 2^-50 of the gap between two doubles, so that all solvers give
/// the same one. It matters since fair sharing magnifies: a flow that begins d earlier than another
/// one that it meets on a link ends 2 d earlier, and hundreds of meetings in a row make of the 16th
/// digit the second (kernel_sharing_test.cpp).
using Exact = dd_real;

/// The nearest double.
inline double rounded(const Exact& number) { return number.x[0]; }

/// Date at which `left` is done, begun at `since`.
inline double date_of(double since, const Exact& left, double rate) {
  return rounded(since + left / rate);
}

}  // namespace ringscope::sim
