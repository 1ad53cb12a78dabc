// SPDX-License-Identifier: LGPL-2.1-or-later
// Streaming exchange in which a solver's thread begins its next pull when there has been at least
// one step since the last: no more pulls than steps.
//
// Source: see streaming.hpp.
// Cost for W solvers and n pieces: at least W(n+2) steps and 2n+3, W(2n+3) messages, 2WS items.
#include "algorithms/parameter_server/streaming.hpp"

namespace ringscope {

Algorithm describe_interlocked_streaming_exchange() {
  return streaming_exchange_at<Pace::interlocked>(
      "interlocked", "a thread of each solver exchanges weights, one pull per step at most");
}

}  // namespace ringscope
