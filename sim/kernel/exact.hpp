// The numbers in which rates are solved.
#pragma once

namespace ringscope::sim {

/// 113 bits. A rate is the double that is nearest to the true one: in whatever order a solver adds,
/// its error is some 2^-60 of the gap between two doubles, so that all solvers give the same
/// double. That matters because fair sharing magnifies: of two flows that meet on a link, the one
/// that began by d earlier ends by up to 2 d earlier, and hundreds of meetings in a row make of the
/// 16th digit the second.
__extension__ using Exact = __float128;

}  // namespace ringscope::sim
