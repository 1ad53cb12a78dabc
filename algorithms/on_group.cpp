#include "algorithms/on_group.hpp"

namespace ringscope {
namespace {

Task run_on_group(Communicator group, const Algorithm* algorithm, Workspace work, Options options) {
  std::vector<int> hosts;
  if (options.hosts != nullptr) {
    for (int rank = 0; rank < group.size(); ++rank)
      hosts.push_back((*options.hosts)[static_cast<std::size_t>(group.rank_in_all(rank))]);
    options.hosts = &hosts;
  }
  options.by_host = nullptr;
  options.orders = nullptr;  // of all ranks
  const std::size_t scratch = algorithm->scratch_items(group.size(), work.data.size, options);
  work.scratch = work.scratch.first(scratch);
  co_await algorithm->run(group, work, options);
}

}  // namespace

Task on_group(Communicator group, const Algorithm& algorithm, Workspace work, Options options) {
  return run_on_group(group, &algorithm, work, options);
}

}  // namespace ringscope
