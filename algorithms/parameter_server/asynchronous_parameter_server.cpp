// SPDX-License-Identifier: LGPL-2.1-or-later
// Asynchronous parameter server: a server makes an update of each push as it comes and answers it
// at once; nobody waits for anybody.
//
// Source: Dean et al., "Large scale distributed deep networks", NIPS 2012 (Downpour SGD); MXNet's
// kvstore dist_async.
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// (TW+1)n steps and 2Tn, 2TWN messages, 2TWS items.
#include "algorithms/parameter_server/clocks.hpp"
#include "algorithms/parameter_server/server.hpp"
#include "algorithms/parameter_server/worker.hpp"

namespace ringscope {

Algorithm describe_asynchronous_parameter_server() {
  return {
      .collective = "parameter_server",
      .name = "asynchronous",
      .summary = "a server updates and answers each push as it comes",
      .options = parameter_server_options(),
      .least_ranks = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Roles roles(comm.size(), options.servers);
            return roles.is_worker(comm.rank())
                       ? work_of_worker(comm, roles, work, options)
                       : serve_as_they_come(comm, roles, work, options, no_bound);
          },
      .cost = [](int ranks, std::size_t items,
                 Options options) { return cost_as_they_come(ranks, items, options); },
      .scratch_items = [](int ranks, std::size_t items,
                          Options options) { return scratch_as_they_come(ranks, items, options); },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
