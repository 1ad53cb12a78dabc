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
  const std::vector<Held> gradients = pieces_of(roles, work.data, options.segment);
  const std::vector<Held> weights = pieces_of(roles, pulled, options.segment);
  std::vector<Request> requests;

  for ([[maybe_unused]] int step : comm.phase("step", options.steps)) {
    co_await comm.compute(options.compute);
    requests.clear();
    for (const Held& part : weights) requests.push_back(comm.irecv(part.range, part.server));
    for (const Held& part : gradients) requests.push_back(comm.isend(part.range, part.server));
    co_await comm.wait_all(requests);
    comm.observe("step", 1);
  }
}

}  // namespace ringscope
