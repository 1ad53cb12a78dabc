// SPDX-License-Identifier: LGPL-2.1-or-later
// Asynchronous parameter server: a server makes an update of each push as it comes and answers it
// at once; nobody waits for anybody.
//
// Source: Dean et al., "Large scale distributed deep networks", NIPS 2012 (Downpour SGD); MXNet's
// kvstore dist_async.
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// (TW+1)n steps and 2Tn, 2TWN messages, 2TWS items.
#include "algorithms/parameter_server/with_servers.hpp"

namespace ringscope {

Algorithm describe_asynchronous_parameter_server() {
  return with_servers<Serving{}>("asynchronous",
                                 "a server updates and answers each push as it comes");
}

}  // namespace ringscope
