// SPDX-License-Identifier: LGPL-2.1-or-later
// The two servers that wait for all workers; they differ in how the weights come back.
#pragma once

#include "algorithms/parameter_server/server.hpp"
#include "algorithms/parameter_server/worker.hpp"

namespace ringscope {

template <Pull pull>
Algorithm all_at_once(std::string_view name, std::string_view summary) {
  return {
      .collective = "parameter_server",
      .name = name,
      .summary = summary,
      .options = parameter_server_options(),
      .least_ranks = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Roles roles(comm.size(), options.servers);
            return roles.is_worker(comm.rank())
                       ? work_of_worker(comm, roles, work, options)
                       : serve_all_at_once(comm, roles, work, options, pull);
          },
      .cost = [](int ranks, std::size_t items,
                 Options options) { return cost_all_at_once(ranks, items, options, pull); },
      .scratch_items = scratch_all_at_once,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
