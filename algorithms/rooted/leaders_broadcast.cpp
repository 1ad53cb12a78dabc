// SPDX-License-Identifier: LGPL-2.1-or-later
// Broadcast by the hosts' leaders: from the root, which leads its host, to the leaders of the other
// hosts, and from each of them into its host. The vector enters a host once.
//
// Source: MPICH 4's composition alpha of MPI_Bcast, up to 12 KiB on several hosts; Open MPI's
// coll/han, algorithm simple; there the root's host passes the vector to its leader first, or the
// ranks that stand where the root stands lead.
// Cost: the sum of the parts; the steps at best those of the quickest host inside.
#include "algorithms/steps/host_order.hpp"

namespace ringscope {
namespace {

LevelParts broadcast_parts(const Options&) {
  return {nullptr, binomial_spread(), binomial_spread()};
}

}  // namespace

Algorithm describe_leaders_broadcast() {
  return {
      .collective = "broadcast",
      .name = "leaders",
      .summary = "between one rank of each host, then inside each host",
      .options = {"root"},
      .run = on_levels<broadcast_parts>,
      .cost = cost_on_levels<broadcast_parts>,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
