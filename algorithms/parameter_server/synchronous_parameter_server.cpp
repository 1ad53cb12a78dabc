// Synchronous parameter server: a server waits for the pushes of all workers, makes one update of
// their sum, and sends the weights to each.
//
// Source: Li et al., OSDI 2014 (see roles.hpp); MXNet's kvstore dist_sync.
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// 2Wn + (T-1)(W+1)n steps, 2TWN messages, 2TWS items.
#include "algorithms/parameter_server/server.hpp"
#include "algorithms/parameter_server/worker.hpp"

namespace ringscope {

Algorithm describe_synchronous_parameter_server() {
  return {
      .collective = "parameter_server",
      .name = "synchronous",
      .summary = "a server waits for all workers, updates once, answers all",
      .options = parameter_server_options(),
      .least_ranks = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Roles roles(comm.size(), options.servers);
            return roles.is_worker(comm.rank())
                       ? work_of_worker(comm, roles, work, options)
                       : serve_all_at_once(comm, roles, work, options, Pull::one_by_one);
          },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return cost_all_at_once(ranks, items, options, Pull::one_by_one);
          },
      .scratch_items = [](int ranks, std::size_t items,
                          Options options) { return scratch_all_at_once(ranks, items, options); },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
