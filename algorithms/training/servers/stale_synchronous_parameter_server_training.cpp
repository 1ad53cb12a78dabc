// SPDX-License-Identifier: LGPL-2.1-or-later
// Training with stale-synchronous parameter servers: asynchronous, but a device that is more than
// `bound` pushes ahead of the slowest waits for its weights.
//
// Source: Ho et al., NIPS 2013 (see asynchronous_servers.hpp).
// Cost: that of asynchronous servers.
#include "algorithms/training/servers/asynchronous_servers.hpp"

namespace ringscope {

Algorithm describe_stale_synchronous_parameter_server_training() {
  Algorithm strategy = asynchronous_servers(true);
  strategy.name = "stale_synchronous_parameter_server";
  strategy.summary = "asynchronous servers; a device more than `bound` pushes ahead waits";
  strategy.run = [](Communicator comm, Workspace work, Options options) {
    return train_with_asynchronous_servers(comm, work, options, options.bound);
  };
  return strategy;
}

}  // namespace ringscope
