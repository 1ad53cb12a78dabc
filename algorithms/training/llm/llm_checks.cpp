// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers that all gradients of a large model give together, before they change the parameters:
// their norm, by which they are clipped (Pascanu et al., ICML 2013, arXiv:1211.5063), and whether
// any has overflowed, for the scale of the loss (Micikevicius et al., ICLR 2018, arXiv:1710.03740,
// section 3.2). Each rank adds up its own, and the ranks of a tensor, a pipeline and a data group
// sum what they have, one group after the other, as PyTorch's DTensor does for each dimension of a
// mesh. Without ZeRO, the ranks of a data group have the same. Cost: of an allreduce of 4 bytes on
// each group.
#include "algorithms/training/llm/llm_parts.hpp"

#include <algorithm>

#include "algorithms/groups/on_group.hpp"
#include "algorithms/training/llm/llm_device.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {

Task sum_checks(LlmDevice d) {
  const Workspace number = {d->at.check, d->at.scratch};
  for (int check = 0; check < d->step.checks; ++check) {
    co_await on_group(d->tensor, exchange_of(d->step), number, d->options);
    co_await on_group(d->pipeline, exchange_of(d->step), number, d->options);
    if (d->step.zero > 0) co_await on_group(d->data, exchange_of(d->step), number, d->options);
  }
}

std::vector<std::pair<const char*, int>> checked_groups(const LlmStep& step) {
  std::vector<std::pair<const char*, int>> groups = {
      {"tensor", step.grid.size("tp")},
      {"pipeline", step.grid.size("pp")},
      {"data", step.zero > 0 ? ranks_of_data(step) : 1}};
  std::erase_if(groups, [&](const auto& group) { return step.checks == 0 || group.second == 1; });
  return groups;
}

std::size_t check_items(const LlmStep& step, const Options& options) {
  return step.checks > 0 ? items_of(check_bytes, options) : 0;
}

Cost checks_cost(const LlmStep& step, int ranks, const Options& options) {
  Cost sum;
  for (const auto& [kind, size] : checked_groups(step))
    sum += exchange_of(step).cost(size, check_items(step, options), options) *
           (std::int64_t{1} * step.checks * (ranks / size));
  return sum;
}

std::size_t checks_scratch(const LlmStep& step, const Options& options) {
  std::size_t most = 0;
  for (const auto& [kind, size] : checked_groups(step))
    most = std::max(most,
                    scratch_on_group(exchange_of(step), size, check_items(step, options), options));
  return most;
}

}  // namespace ringscope
