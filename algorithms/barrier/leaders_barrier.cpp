// SPDX-License-Identifier: LGPL-2.1-or-later
// Barrier by the hosts' leaders: a barrier inside each host, one among the leaders, and a second
// one inside, by which the leaders let the others go.
//
// Source: Open MPI's coll/han, algorithm simple. MPICH 4's composition alpha ends with a broadcast
// of a byte inside in place of the second barrier.
// Cost: the sum of the parts; the steps at best those of the quickest host on each level.
#include "algorithms/steps/host_order.hpp"

namespace ringscope {
namespace {

LevelParts barrier_parts(const Options&) {
  const Algorithm& meet = find_part("barrier", "dissemination");
  return {&meet, meet, meet};
}

}  // namespace

Algorithm describe_leaders_barrier() {
  return {
      .collective = "barrier",
      .name = "leaders",
      .summary = "inside each host, between one rank of each, and inside again",
      .run = on_levels<barrier_parts>,
      .cost = cost_on_levels<barrier_parts>,
      .varies = Varies::steps,
      .alike = always,
  };
}

}  // namespace ringscope
