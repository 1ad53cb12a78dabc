// SPDX-License-Identifier: LGPL-2.1-or-later
// The algorithms whose ranks are servers and workers; they differ in what the servers do.
#pragma once

#include "algorithms/parameter_server/clocks.hpp"
#include "algorithms/parameter_server/server.hpp"
#include "algorithms/parameter_server/worker.hpp"

namespace ringscope {

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

}  // namespace ringscope
