// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/parameter_server/worker.hpp"

namespace ringscope {

std::vector<std::string_view> parameter_server_options(
    std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> options = {"servers", "segment", "update", "steps", "compute"};
  options.insert(options.end(), others);
  return options;
}

Task work_of_worker(Communicator comm, Roles roles, Workspace work, Options options) {
  const Range pulled = work.scratch.first(work.data.size);
  std::vector<Request> requests;

  for ([[maybe_unused]] int step : comm.phase("step", options.steps)) {
    co_await comm.compute(options.compute);
    requests.clear();
    for (const Held& weights : pieces_of(roles, pulled, options.segment))
      requests.push_back(comm.irecv(weights.range, weights.server));
    for (const Held& gradients : pieces_of(roles, work.data, options.segment))
      requests.push_back(comm.isend(gradients.range, gradients.server));
    co_await comm.wait_all(requests);
    comm.observe("step", 1);
  }
}

}  // namespace ringscope
