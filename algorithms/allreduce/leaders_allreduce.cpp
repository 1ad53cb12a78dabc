// SPDX-License-Identifier: LGPL-2.1-or-later
// Allreduce by the hosts' leaders: a reduce to the first rank of each host, an allreduce among
// these leaders, and a broadcast inside each host. Each host sends the vector once in every step
// between hosts, however many ranks it has.
//
// Source: MPICH 4's composition alpha of MPI_Allreduce, which it takes for all sizes on several
// hosts; Open MPI's coll/han, algorithm simple; UCC's CL/HIER, rab. Inside a host both trees are
// binomial here; libraries go through shared memory there, some without messages.
// Cost: the sum of the parts; the steps at best those of the quickest host on each level, one after
// the other.
#include "algorithms/steps/host_order.hpp"

namespace ringscope {
namespace {

const Algorithm& among_leaders(const Options& options) {
  return find_part("allreduce", options.between);
}

LevelParts leaders_parts(const Options& options) {
  return {&find_part("reduce", "binomial"), among_leaders(options), binomial_spread()};
}

}  // namespace

Algorithm describe_leaders_allreduce() {
  return {
      .collective = "allreduce",
      .name = "leaders",
      .summary = "a reduce inside each host, an allreduce between leaders, a broadcast inside",
      .options = {"between", "segment", "rings", "threads", "item"},
      .threads_for =
          [](const Options& options) { return threads_of(among_leaders(options), below(options)); },
      .run = on_levels<leaders_parts>,
      .cost = cost_on_levels<leaders_parts>,
      .scratch_items = scratch_on_levels<leaders_parts>,
      .varies = Varies::steps,
      .alike = alike_on_levels<leaders_parts>,
  };
}

}  // namespace ringscope
