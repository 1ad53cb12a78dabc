// SPDX-License-Identifier: LGPL-2.1-or-later
// Synchronous parameter server: a server waits for the pushes of all workers, makes one update of
// their sum, and sends the weights to each.
//
// Source: Li et al., OSDI 2014 (see roles.hpp); MXNet's kvstore dist_sync.
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// 2Wn + (T-1)(W+1)n steps, 2TWN messages, 2TWS items.
#include "algorithms/parameter_server/with_servers.hpp"

namespace ringscope {

Algorithm describe_synchronous_parameter_server() {
  return with_servers<Serving{.all_at_once = true}>(
      "synchronous", "a server waits for all workers, updates once, answers all");
}

}  // namespace ringscope
