// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/folding.hpp"

#include "scenarios/question/scenario.hpp"
#include "sim/alike/alike_ranks.hpp"
#include "sim/alike/steady_state.hpp"

namespace ringscope {
namespace sim {

Alike alike_for(const Scenario& scenario, const RunOptions& options) {
  const Job& job = scenario.job;
  const auto ranks = std::ssize(scenario.placement.ranks);
  const bool by_blocks = job.rings != nullptr && job.training == nullptr;
  const auto blocks = by_blocks ? ranks * threads_of(*job.algorithm, job.options) : ranks;
  if (ranks < options.fold_from && blocks < std::int64_t{blocks_of_rank} * options.fold_from)
    return {};
  if (options.shows_messages()) return {{}, "the history of each rank is requested", 0};
  bool uneven = ranks >= options.fold_uneven_from;
  if (by_blocks && options.fold_uneven_from < never_fold) {
    const PlacedOptions placed(job, scenario.placement);
    const auto items = static_cast<std::size_t>(job.bytes.count);
    const Cost cost = job.algorithm->cost(static_cast<int>(ranks), items, *placed);
    uneven = uneven || cost.messages >= fewest_uneven_messages;
  }
  Alike alike = alike_ranks(scenario, uneven);
  if (!alike.orbits)
    if (auto gpus = equal_gpus(scenario)) return {std::move(gpus), "", 0};
  return alike;
}

bool may_skip(const Scenario& scenario, const RunOptions& options) {
  return options.skip && can_skip(options.kernel) && !options.shows_messages() &&
         repeats_itself(scenario);
}

// A block's first thread runs on the rank's own core, and is simulated.
std::optional<ChannelFold> channel_fold(const Scenario& scenario, const Options& options,
                                        Machine& machine, Ledger& ledger,
                                        View<const std::unique_ptr<RankThread>> ranks) {
  std::optional<ChannelFold> fold = alike_channels(scenario, options, machine, ledger);
  if (!fold) return {};
  const auto core = [&](int rank, int thread) {
    return ranks[rank]->cpu_of(thread).back().resource;
  };
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const ChannelFold::Like& like : fold->like[rank])
      if (like.thread > 0)
        fold->as_busy[core(static_cast<int>(rank), like.thread)] =
            core(like.rank, like.other_thread);
  return fold;
}

}  // namespace sim

int simulated_repetitions(const Scenario& scenario, const RunOptions& options) {
  const bool alike = sim::may_skip(scenario, options) && scenario.job.skew.count() == 0;
  return alike ? 1 : scenario.job.repetitions;
}

}  // namespace ringscope
