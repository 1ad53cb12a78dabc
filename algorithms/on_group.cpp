#include "algorithms/on_group.hpp"

#include <algorithm>

namespace ringscope {
namespace {

/// Whether it goes by which ranks share a host.
bool knows_hosts(const Algorithm& algorithm) {
  const auto& options = algorithm.options;
  return algorithm.chosen != nullptr || std::ranges::find(options, "inside") != options.end();
}

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

// Its levels are groups of fewer ranks: those of a host, and one of each host.
std::size_t scratch_on_group(const Algorithm& algorithm, int ranks, std::size_t items,
                             Options options) {
  constexpr int most_on_host = 256;
  options.hosts = nullptr;
  options.by_host = nullptr;
  std::size_t most = algorithm.scratch_items(ranks, items, options);
  if (!knows_hosts(algorithm)) return most;
  for (int some = 1; some <= std::min(ranks, most_on_host); ++some) {
    const std::vector<int> one_host(static_cast<std::size_t>(some));
    for (const std::vector<int>* hosts :
         {static_cast<const std::vector<int>*>(nullptr), &one_host}) {
      options.hosts = hosts;
      most = std::max(most, algorithm.scratch_items(some, items, options));
    }
  }
  return most;
}

}  // namespace ringscope
