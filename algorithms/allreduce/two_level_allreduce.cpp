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
#include "algorithms/steps/host_order.hpp"

namespace ringscope {
namespace {

const Algorithm& allreduce(std::string_view name) { return find_part("allreduce", name); }

LevelParts two_level_parts(const Options& options) {
  return {&allreduce(options.inside), allreduce(options.between), binomial_spread()};
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
      .run = on_levels<two_level_parts>,
      .cost = cost_on_levels<two_level_parts>,
      .scratch_items = scratch_on_levels<two_level_parts>,
      .varies = Varies::steps,
      .alike = alike_on_levels<two_level_parts>,
  };
}

}  // namespace ringscope
