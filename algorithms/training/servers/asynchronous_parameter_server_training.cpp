// SPDX-License-Identifier: LGPL-2.1-or-later
// Training with asynchronous parameter servers, as Downpour SGD does it: nobody waits for anybody.
//
// Source: see asynchronous_servers.hpp.
// Cost for T steps of W devices: per part of a bucket a message for each push and each fetch, one
// for both where they fall together, and one for each answer.
#include "algorithms/parameter_server/clocks.hpp"
#include "algorithms/training/servers/asynchronous_servers.hpp"

namespace ringscope {

Algorithm describe_asynchronous_parameter_server_training() {
  Algorithm strategy = asynchronous_servers(false);
  strategy.name = "asynchronous_parameter_server";
  strategy.summary = "servers update and answer each push as it comes (Downpour SGD)";
  strategy.run = [](Communicator comm, Workspace work, Options options) {
    return train_with_asynchronous_servers(comm, work, options, no_bound);
  };
  return strategy;
}

}  // namespace ringscope
