// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of the ranks of a large model's training.
#include "algorithms/training/llm/llm_parts.hpp"

namespace ringscope {

std::vector<LlmGroups> llm_kinds(const LlmStep& step) {
  constexpr int all = -1, data = 1, expert = 6;
  Sides shard, replica, experts, expert_data, rail, host, context;
  if (step.grid.size("cp") > 1) context = step.grid.sides("cp");
  if (const int size = shard_of(step); size < ranks_of_data(step)) {
    shard = [size](int place) { return Side{place / size, place % size}; };
    replica = [size](int place) { return Side{place % size, place / size}; };
  }
  if (const int size = step.experts.ranks; size > 1) {
    const int contexts = step.grid.size("cp");
    experts = [size, contexts](int rank) {
      return Side{rank / contexts / size * contexts + rank % contexts, rank / contexts % size};
    };
    expert_data = [size, contexts](int rank) { return Side{rank / contexts % size, rank}; };
  }
  if (step.experts.hosts > 1) {
    const int each = step.experts.ranks / step.experts.hosts;
    rail = [each](int place) { return Side{place % each, place / each}; };
    host = [each](int place) { return Side{place / each, place % each}; };
  }
  return {{"tensor", all, step.grid.sides("tp")},
          {"data", all, step.grid.sides("cp", "dp")},
          {"pipeline", all, step.grid.sides("pp")},
          {"context", all, context, true},
          {"shard", data, shard},
          {"replica", data, replica, true},
          {"expert", data, experts, true},
          {"expert data", data, expert_data},
          {"expert rail", expert, rail},
          {"expert host", expert, host}};
}

std::vector<RankGroup> llm_groups(int ranks, const Options& options) {
  Table<std::vector<SharedRanks>> lists;
  std::vector<RankGroup> groups;
  for (const LlmGroups& kind : llm_kinds(llm_step_of(options, ranks))) {
    std::vector<SharedRanks>& made = lists.emplace_back();
    const auto split = [&](const Table<int>& whole) {
      for (const SharedRanks& list : parts_of(whole, kind.sides)) {
        made.push_back(list);
        groups.push_back({kind.name, list});
      }
    };
    if (kind.sides && kind.within < 0) split(numbers_below(ranks));
    if (kind.sides && kind.within >= 0)
      for (const SharedRanks& whole : lists[kind.within]) split(*whole);
  }
  return groups;
}

}  // namespace ringscope
