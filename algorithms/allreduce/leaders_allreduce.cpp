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
#include "algorithms/steps/levels.hpp"

namespace ringscope {
namespace {

const Algorithm& gather() { return find_part("reduce", "binomial"); }
const Algorithm& among(const Options& options) { return find_part("allreduce", options.between); }

Task leaders_allreduce(Levels levels, Workspace work, Options options) {
  const Options part = below(options);
  co_await run_part(gather(), levels.inside, work, part);
  if (levels.between) co_await run_part(among(options), *levels.between, work, part);
  co_await run_part(binomial_spread(), levels.inside, work, part);
}

/// Inside a host anything goes: the program there is that of each host.
bool leaders_alike(int ranks, std::size_t items, const Options& options) {
  const int leaders = static_cast<int>(host_groups(ranks, options)->hosts.size());
  const Property between = among(options).alike;
  return between != nullptr && between(leaders, items, below(options));
}

}  // namespace

Algorithm describe_leaders_allreduce() {
  return {
      .collective = "allreduce",
      .name = "leaders",
      .summary = "a reduce inside each host, an allreduce between leaders, a broadcast inside",
      .options = {"between", "segment", "rings", "threads", "item"},
      .threads_for =
          [](const Options& options) { return threads_of(among(options), below(options)); },
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return leaders_allreduce(levels_of(comm, options), work, options);
          },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return levels_cost(*host_groups(ranks, options), items, below(options), &gather(),
                               among(options), binomial_spread());
          },
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return levels_scratch_items(*host_groups(ranks, options), items, below(options),
                                        &gather(), among(options), binomial_spread());
          },
      .varies = Varies::steps,
      .alike = leaders_alike,
  };
}

}  // namespace ringscope
