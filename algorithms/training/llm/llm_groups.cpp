// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of the ranks of a large model's training.
#include <utility>

#include "algorithms/training/llm/llm_parts.hpp"

namespace ringscope {

LlmSplits splits_of(const LlmStep& step) {
  LlmSplits splits;
  splits.tensor = step.grid.sides("tp");
  splits.data = step.grid.sides("cp", "dp");
  if (const int size = shard_of(step); size < ranks_of_data(step)) {
    splits.shard = [size](int place) { return Side{place / size, place % size}; };
    splits.replica = [size](int place) { return Side{place % size, place / size}; };
  }
  if (const int size = step.experts.ranks; size > 1) {
    const int contexts = step.grid.size("cp");
    splits.expert = [size, contexts](int rank) {
      return Side{rank / contexts / size * contexts + rank % contexts, rank / contexts % size};
    };
    splits.expert_data = [size, contexts](int rank) { return Side{rank / contexts % size, rank}; };
    if (step.experts.hosts > 1) {
      const int each = size / step.experts.hosts;
      splits.rail = [each](int place) { return Side{place % each, place / each}; };
      splits.host = [each](int place) { return Side{place / each, place % each}; };
    }
  }
  return splits;
}

std::vector<RankGroup> llm_groups(int ranks, const Options& options) {
  const LlmStep step = llm_step_of(options, ranks);
  const LlmSplits splits = splits_of(step);
  Table<int> all = numbers_below(ranks);
  std::vector<RankGroup> groups;
  const auto add = [&](const std::vector<SharedRanks>& lists, const char* name) {
    for (const SharedRanks& list : lists) groups.push_back({name, list});
  };
  add(parts_of(all, splits.tensor), "tensor");
  const std::vector<SharedRanks> data = parts_of(all, splits.data);
  add(data, "data");
  const std::pair<const Sides*, const char*> inner[] = {{&splits.shard, "shard"},
                                                        {&splits.replica, "replica"},
                                                        {&splits.expert, "expert"},
                                                        {&splits.expert_data, "expert data"}};
  for (const auto& [sides, name] : inner)
    for (const SharedRanks& group : data)
      if (*sides) add(parts_of(*group, *sides), name);
  for (const SharedRanks& group : splits.rail ? data : std::vector<SharedRanks>())
    for (const SharedRanks& experts : parts_of(*group, splits.expert)) {
      add(parts_of(*experts, splits.rail), "expert rail");
      add(parts_of(*experts, splits.host), "expert host");
    }
  if (step.grid.size("pp") > 1) add(parts_of(all, step.grid.sides("pp")), "pipeline");
  if (step.grid.size("cp") > 1) add(parts_of(all, step.grid.sides("cp")), "context");
  return groups;
}

}  // namespace ringscope
