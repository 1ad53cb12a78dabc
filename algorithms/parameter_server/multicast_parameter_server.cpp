// Synchronous parameter server whose pull is a multicast: one stream out of the server, which the
// network copies to all workers.
//
// Source: Li et al., OSDI 2014 (see roles.hpp); Mai, Hong and Costa, "Optimizing network
// performance in distributed machine learning", HotCloud 2015. Cost for T steps of W workers, with
// n pieces in the largest shard and N in all: at least T(W+1)n steps, T(W+1)N messages, T(W+1)S
// items.
#include "algorithms/parameter_server/server.hpp"
#include "algorithms/parameter_server/worker.hpp"

namespace ringscope {

Algorithm describe_multicast_parameter_server() {
  return {
      .collective = "parameter_server",
      .name = "multicast",
      .summary = "synchronous; the switch copies one stream of weights to all workers",
      .options = parameter_server_options(),
      .least_ranks = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Roles roles(comm.size(), options.servers);
            return roles.is_worker(comm.rank())
                       ? work_of_worker(comm, roles, work, options)
                       : serve_all_at_once(comm, roles, work, options, Pull::multicast);
          },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return cost_all_at_once(ranks, items, options, Pull::multicast);
          },
      .scratch_items = [](int ranks, std::size_t items,
                          Options options) { return scratch_all_at_once(ranks, items, options); },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
