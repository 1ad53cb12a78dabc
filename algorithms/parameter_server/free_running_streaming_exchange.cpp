// SPDX-License-Identifier: LGPL-2.1-or-later
// Streaming exchange in which a solver's thread begins its next pull at once, whether or not there
// has been a step since: when a pull is quicker than a step, it only loads the way to the server.
//
// Source: see streaming.hpp.
// Cost for W solvers and n pieces: at least W(n+2) steps and 2n+3, W(2n+3) messages, 2WS items.
#include "algorithms/parameter_server/streaming.hpp"

namespace ringscope {

Algorithm describe_free_running_streaming_exchange() {
  return {
      .collective = "streaming_exchange",
      .name = "free_running",
      .summary = "a thread of each solver exchanges weights without a pause",
      .options = streaming_options(),
      .least_ranks = 2,
      .threads = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return streaming_exchange(comm, work, options, Pace::free_running);
          },
      .cost = [](int ranks, std::size_t items,
                 Options options) { return streaming_cost(ranks, items, options); },
      .scratch_items = [](int ranks, std::size_t items,
                          Options options) { return streaming_scratch(ranks, items, options); },
      .varies = Varies::all,
  };
}

}  // namespace ringscope
