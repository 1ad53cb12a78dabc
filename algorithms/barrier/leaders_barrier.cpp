// SPDX-License-Identifier: LGPL-2.1-or-later
// Barrier by the hosts' leaders: a barrier inside each host, one among the leaders, and a second
// one inside, by which the leaders let the others go.
//
// Source: Open MPI's coll/han, algorithm simple. MPICH 4's composition alpha ends with a broadcast
// of a byte inside in place of the second barrier.
// Cost: the sum of the parts; the steps at best those of the quickest host on each level.
#include "algorithms/steps/levels.hpp"

namespace ringscope {
namespace {

const Algorithm& meet() { return find_part("barrier", "dissemination"); }

Task leaders_barrier(Levels levels, Workspace work, Options options) {
  const Options part = below(options);
  co_await run_part(meet(), levels.inside, work, part);
  if (levels.between) co_await run_part(meet(), *levels.between, work, part);
  co_await run_part(meet(), levels.inside, work, part);
}

}  // namespace

Algorithm describe_leaders_barrier() {
  return {
      .collective = "barrier",
      .name = "leaders",
      .summary = "inside each host, between one rank of each, and inside again",
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return leaders_barrier(levels_of(comm, options), work, options);
          },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return levels_cost(*host_groups(ranks, options), items, below(options), &meet(), meet(),
                               meet());
          },
      .varies = Varies::steps,
      .alike = always,
  };
}

}  // namespace ringscope
