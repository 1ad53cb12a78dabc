// The numbers in which rates are solved.
#pragma once

namespace ringscope::sim {

/// 113 bits. A rate is the double that is nearest to the true one: in whatever order a solver adds,
/// its error is some 2^-60 of the gap between two doubles, so that all solvers give the same one.
/// It matters since fair sharing magnifies: a flow that begins d earlier than another one that it
/// meets on a link ends 2 d earlier, and hundreds of meetings in a row make of the 16th digit the
/// second (sharing_anomaly_test.cpp).
__extension__ using Exact = __float128;

}  // namespace ringscope::sim
