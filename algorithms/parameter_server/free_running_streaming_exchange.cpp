// SPDX-License-Identifier: LGPL-2.1-or-later
// Streaming exchange in which a solver's thread begins its next pull at once, whether or not there
// has been a step since: when a pull is quicker than a step, it only loads the way to the server.
//
// Source: see streaming.hpp.
// Cost for W solvers and n pieces: at least W(n+2) steps and 2n+3, W(2n+3) messages, 2WS items.
#include "algorithms/parameter_server/streaming.hpp"

namespace ringscope {

Algorithm describe_free_running_streaming_exchange() {
  return streaming_exchange_at<Pace::free_running>(
      "free_running", "a thread of each solver exchanges weights without a pause");
}

}  // namespace ringscope
