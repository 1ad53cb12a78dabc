// SPDX-License-Identifier: LGPL-2.1-or-later
// Stale-synchronous parameter server: asynchronous, but a worker that is more than `bound` steps
// ahead of the slowest waits for its answer.
//
// Source: Ho et al., NIPS 2013 (see clocks.hpp).
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// (TW+1)n steps and 2Tn, 2TWN messages, 2TWS items.
#include "algorithms/parameter_server/server.hpp"
#include "algorithms/parameter_server/worker.hpp"

namespace ringscope {

Algorithm describe_stale_synchronous_parameter_server() {
  return {
      .collective = "parameter_server",
      .name = "stale_synchronous",
      .summary = "asynchronous; a worker more than `bound` steps ahead waits",
      .options = parameter_server_options({"bound"}),
      .least_ranks = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Roles roles(comm.size(), options.servers);
            return roles.is_worker(comm.rank())
                       ? work_of_worker(comm, roles, work, options)
                       : serve_as_they_come(comm, roles, work, options, options.bound);
          },
      .cost = [](int ranks, std::size_t items,
                 Options options) { return cost_as_they_come(ranks, items, options); },
      .scratch_items = [](int ranks, std::size_t items,
                          Options options) { return scratch_as_they_come(ranks, items, options); },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
