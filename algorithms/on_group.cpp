#include "algorithms/on_group.hpp"

#include <algorithm>
#include <array>

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

/// Whether its scratch space goes by which ranks share a host: four ranks on one, two or four show
/// it.
bool goes_by_hosts(const Algorithm& algorithm, std::size_t items, Options options) {
  const std::vector<int> together = {0, 0, 0, 0}, in_pairs = {0, 0, 1, 1};
  options.hosts = nullptr;
  const std::size_t apart = algorithm.scratch_items(4, items, options);
  return std::ranges::any_of(std::array{&together, &in_pairs}, [&](const std::vector<int>* hosts) {
    options.hosts = hosts;
    return algorithm.scratch_items(4, items, options) != apart;
  });
}

}  // namespace

Options without_hosts(Options options) {
  options.hosts = nullptr;
  options.by_host = nullptr;
  options.orders = nullptr;
  return options;
}

Task on_group(Communicator group, const Algorithm& algorithm, Workspace work, Options options) {
  return run_on_group(group, &algorithm, work, options);
}

// Collectives of several levels go by hosts: as many ranks on each, or all on one and some left
// out.
std::size_t scratch_on_group(const Algorithm& algorithm, int ranks, std::size_t items,
                             Options options) {
  constexpr int most_on_host = 64;
  options.by_host = nullptr;
  options.hosts = nullptr;
  std::size_t most = algorithm.scratch_items(ranks, items, options);
  if (!goes_by_hosts(algorithm, items, options)) return most;
  for (int on_host = 1; on_host <= std::min(ranks, most_on_host); ++on_host) {
    std::vector<int> hosts;
    for (int rank = 0; rank < ranks; ++rank) hosts.push_back(rank / on_host);
    options.hosts = &hosts;
    most = std::max(most, algorithm.scratch_items(ranks, items, options));
    hosts.assign(static_cast<std::size_t>(on_host), 0);
    most = std::max(most, algorithm.scratch_items(on_host, items, options));
  }
  return most;
}

}  // namespace ringscope
