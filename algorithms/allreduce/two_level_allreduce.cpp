// SPDX-License-Identifier: LGPL-2.1-or-later
// Two-level allreduce: an allreduce among the ranks of each host, one among the hosts' leaders, and
// a binomial broadcast inside each host. Which allreduce each level runs is an option, so that each
// can be the one that suits its wires; without hosts every rank is a leader.
//
// Source: Karonis, de Supinski, Foster, Gropp, Lusk and Bresnahan, "Exploiting hierarchy in
// parallel computer networks to optimize collective operation performance", IPDPS 2000. Horovod and
// NCCL do the same with a reduce-scatter inside; leaders_allreduce.cpp has a reduce there.
// Cost: the sum of the parts; the steps at best those of the quickest host on each level, one after
// the other. Where all hosts have as many ranks none is quicker.
#include "algorithms/steps/levels.hpp"

namespace ringscope {
namespace {

const Algorithm& allreduce(std::string_view name) { return find_part("allreduce", name); }

Task two_level_allreduce(Levels levels, Workspace work, Options options) {
  const Options part = below(options);
  co_await run_part(allreduce(options.inside), levels.inside, work, part);
  if (levels.between) co_await run_part(allreduce(options.between), *levels.between, work, part);
  co_await run_part(binomial_spread(), levels.inside, work, part);
}

/// Inside a host anything goes: the program there is that of each host.
bool two_levels_alike(int ranks, std::size_t items, const Options& options) {
  const int leaders = static_cast<int>(host_groups(ranks, options)->hosts.size());
  const Property between = allreduce(options.between).alike;
  return between != nullptr && between(leaders, items, below(options));
}

}  // namespace

Algorithm describe_two_level_allreduce() {
  return {
      .collective = "allreduce",
      .name = "two_level",
      .summary = "inside each host, between their leaders, and back into the hosts",
      .options = {"inside", "between", "segment", "rings", "threads", "item"},
      .threads_for =
          [](const Options& options) {
            return std::max(threads_of(allreduce(options.inside), below(options)),
                            threads_of(allreduce(options.between), below(options)));
          },
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return two_level_allreduce(levels_of(comm, options), work, options);
          },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return levels_cost(*host_groups(ranks, options), items, below(options),
                               &allreduce(options.inside), allreduce(options.between),
                               binomial_spread());
          },
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return levels_scratch_items(*host_groups(ranks, options), items, below(options),
                                        &allreduce(options.inside), allreduce(options.between),
                                        binomial_spread());
          },
      .varies = Varies::steps,
      .alike = two_levels_alike,
  };
}

}  // namespace ringscope
