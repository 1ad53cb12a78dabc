// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/training/expert_parts.hpp"

#include <algorithm>

#include "algorithms/training/llm_parts.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

Options with_sizes(Options options, const PairSizes* sizes) {
  options.sizes = sizes;
  return options;
}

}  // namespace

const Algorithm& expert_exchange_of(const LlmStep& step) {
  const Algorithm* chosen = step.experts.exchange;
  return chosen != nullptr ? *chosen : *find_algorithm("alltoallv", "posted");
}

ExpertItems expert_items(const LlmStep& step, int index, const Options& options) {
  const Experts& experts = step.experts;
  if (experts.ranks == 1) return {};
  const std::size_t sent = items_of(experts.sent, options);
  const PiecesByPair come({}, sent, index, experts.ranks,
                          with_sizes(options, experts.dispatch.get()));
  return {sent, items_of(experts.returned, options), times(step.grid.size("tp"), come.items())};
}

ExpertItems most_expert_items(const LlmStep& step, const Options& options) {
  ExpertItems most;
  for (int index = 0; index < step.experts.ranks; ++index) {
    const ExpertItems one = expert_items(step, index, options);
    most = {std::max(most.sent, one.sent), std::max(most.returned, one.returned),
            std::max(most.here, one.here)};
  }
  return most;
}

Cost expert_layer_cost(const LlmStep& step, int ranks, const Options& options) {
  const Experts& experts = step.experts;
  const int tensor = step.grid.size("tp");
  const std::int64_t groups = ranks / experts.ranks;
  const ExpertItems items = expert_items(step, 0, options);
  const Algorithm& exchange = expert_exchange_of(step);
  const Halves halves = halves_of(tensor_exchange_of(step));
  Cost sum;
  sum += exchange.cost(experts.ranks, items.sent, with_sizes(options, experts.dispatch.get()));
  sum += exchange.cost(experts.ranks, items.returned, with_sizes(options, experts.combine.get()));
  sum = sum * (2 * groups);
  for (int index = 0; index < experts.ranks && tensor > 1; ++index) {
    const std::size_t here = expert_items(step, index, options).here;
    for (const Algorithm* half : {halves.reduce_scatter, halves.allgather})
      sum += half->cost(tensor, here, options) * (2 * groups / tensor);
  }
  return sum;
}

std::size_t expert_scratch(const LlmStep& step, const Options& options) {
  const Experts& experts = step.experts;
  if (experts.ranks == 1) return 0;
  const int tensor = step.grid.size("tp");
  const ExpertItems most = most_expert_items(step, options);
  const Algorithm& exchange = expert_exchange_of(step);
  const Halves halves = halves_of(tensor_exchange_of(step));
  return std::max({exchange.scratch_items(experts.ranks, most.sent,
                                          with_sizes(options, experts.dispatch.get())),
                   exchange.scratch_items(experts.ranks, most.returned,
                                          with_sizes(options, experts.combine.get())),
                   halves.reduce_scatter->scratch_items(tensor, most.here, options),
                   halves.allgather->scratch_items(tensor, most.here, options)});
}

}  // namespace ringscope
