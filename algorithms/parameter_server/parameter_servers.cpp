// SPDX-License-Identifier: LGPL-2.1-or-later
// The algorithms whose ranks are servers and workers; they differ in what the servers do.
#include "algorithms/parameter_server/clocks.hpp"
#include "algorithms/parameter_server/server.hpp"

namespace ringscope {
namespace {

struct Serving {
  bool all_at_once = false;      ///< waits for all workers; else takes each push as it comes
  Pull pull = Pull::one_by_one;  ///< of all at once
  bool bounded = false;          ///< of each as it comes: by the option `bound`
};

template <Serving serving>
Algorithm with_servers(std::string_view name, std::string_view summary) {
  return {
      .collective = "parameter_server",
      .name = name,
      .summary = summary,
      .options = serving.bounded ? parameter_server_options({"bound"}) : parameter_server_options(),
      .least_ranks = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Roles roles(comm.size(), options.servers);
            if (roles.is_worker(comm.rank())) return work_of_worker(comm, roles, work, options);
            if (serving.all_at_once)
              return serve_all_at_once(comm, roles, work, options, serving.pull);
            const int bound = serving.bounded ? options.bound : no_bound;
            return serve_as_they_come(comm, roles, work, options, bound);
          },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return serving.all_at_once ? cost_all_at_once(ranks, items, options, serving.pull)
                                       : cost_as_they_come(ranks, items, options);
          },
      .scratch_items = serving.all_at_once ? scratch_all_at_once : scratch_as_they_come,
      .varies = Varies::steps,
  };
}

}  // namespace

// Synchronous parameter server: a server waits for the pushes of all workers, makes one update of
// their sum, and sends the weights to each.
//
// Source: Li et al., OSDI 2014 (see roles.hpp); MXNet's kvstore dist_sync.
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// 2Wn + (T-1)(W+1)n steps, 2TWN messages, 2TWS items.
Algorithm describe_synchronous_parameter_server() {
  return with_servers<Serving{.all_at_once = true}>(
      "synchronous", "a server waits for all workers, updates once, answers all");
}

// Synchronous parameter server whose pull is a multicast: one stream out of the server, which the
// network copies to all workers.
//
// Source: Li et al., OSDI 2014 (see roles.hpp); Mai, Hong and Costa, "Optimizing network
// performance in distributed machine learning", HotCloud 2015. Cost for T steps of W workers, with
// n pieces in the largest shard and N in all: at least T(W+1)n steps, T(W+1)N messages, T(W+1)S
// items.
Algorithm describe_multicast_parameter_server() {
  return with_servers<Serving{.all_at_once = true, .pull = Pull::multicast}>(
      "multicast", "synchronous; the switch copies one stream of weights to all workers");
}

// Asynchronous parameter server: a server makes an update of each push as it comes and answers it
// at once; nobody waits for anybody.
//
// Source: Dean et al., "Large scale distributed deep networks", NIPS 2012 (Downpour SGD); MXNet's
// kvstore dist_async.
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// (TW+1)n steps and 2Tn, 2TWN messages, 2TWS items.
Algorithm describe_asynchronous_parameter_server() {
  return with_servers<Serving{}>("asynchronous",
                                 "a server updates and answers each push as it comes");
}

// Stale-synchronous parameter server: asynchronous, but a worker that is more than `bound` steps
// ahead of the slowest waits for its answer.
//
// Source: Ho et al., NIPS 2013 (see clocks.hpp).
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// (TW+1)n steps and 2Tn, 2TWN messages, 2TWS items.
Algorithm describe_stale_synchronous_parameter_server() {
  return with_servers<Serving{.bounded = true}>(
      "stale_synchronous", "asynchronous; a worker more than `bound` steps ahead waits");
}

}  // namespace ringscope
