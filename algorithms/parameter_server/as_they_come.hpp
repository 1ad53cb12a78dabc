// SPDX-License-Identifier: LGPL-2.1-or-later
// The two servers that take each push as it comes; they differ in whose answer waits.
#pragma once

#include "algorithms/parameter_server/clocks.hpp"
#include "algorithms/parameter_server/server.hpp"
#include "algorithms/parameter_server/worker.hpp"

namespace ringscope {

/// `bounded`: by the option `bound`.
template <bool bounded>
Algorithm as_they_come(std::string_view name, std::string_view summary) {
  return {
      .collective = "parameter_server",
      .name = name,
      .summary = summary,
      .options = bounded ? parameter_server_options({"bound"}) : parameter_server_options(),
      .least_ranks = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Roles roles(comm.size(), options.servers);
            const int bound = bounded ? options.bound : no_bound;
            return roles.is_worker(comm.rank())
                       ? work_of_worker(comm, roles, work, options)
                       : serve_as_they_come(comm, roles, work, options, bound);
          },
      .cost = cost_as_they_come,
      .scratch_items = scratch_as_they_come,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
