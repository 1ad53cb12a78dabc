// SPDX-License-Identifier: LGPL-2.1-or-later
// Synchronous parameter server whose pull is a multicast: one stream out of the server, which the
// network copies to all workers.
//
// Source: Li et al., OSDI 2014 (see roles.hpp); Mai, Hong and Costa, "Optimizing network
// performance in distributed machine learning", HotCloud 2015. Cost for T steps of W workers, with
// n pieces in the largest shard and N in all: at least T(W+1)n steps, T(W+1)N messages, T(W+1)S
// items.
#include "algorithms/parameter_server/with_servers.hpp"

namespace ringscope {

Algorithm describe_multicast_parameter_server() {
  return with_servers<Serving{.all_at_once = true, .pull = Pull::multicast}>(
      "multicast", "synchronous; the switch copies one stream of weights to all workers");
}

}  // namespace ringscope
