// SPDX-License-Identifier: LGPL-2.1-or-later
// Stale-synchronous parameter server: asynchronous, but a worker that is more than `bound` steps
// ahead of the slowest waits for its answer.
//
// Source: Ho et al., NIPS 2013 (see clocks.hpp).
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// (TW+1)n steps and 2Tn, 2TWN messages, 2TWS items.
#include "algorithms/parameter_server/with_servers.hpp"

namespace ringscope {

Algorithm describe_stale_synchronous_parameter_server() {
  return with_servers<Serving{.bounded = true}>(
      "stale_synchronous", "asynchronous; a worker more than `bound` steps ahead waits");
}

}  // namespace ringscope
