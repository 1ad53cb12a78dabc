// SPDX-License-Identifier: LGPL-2.1-or-later
// Time of a barrier.
#include <fmt/format.h>

#include "validation/executors/mpi/probes/exchange.hpp"
#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

void barrier(Bench& bench, const Team& team) {
  const Point point{"barrier", {{"ranks", team.size}}};
  bench.measure(team, point, [&](int iterations) {
    return team.slowest(time_of(team, iterations, [&] { team.meet(); }));
  });
}

}  // namespace

std::vector<Series> plan_barrier(Layout& layout) {
  std::vector<Series> plan;
  for (const int ranks : doubling_to(layout.size())) {
    if (ranks < 2) continue;
    const Team team = layout.first(ranks);
    plan.push_back({fmt::format("barrier, {} ranks", ranks), team,
                    [team](Bench& bench) { barrier(bench, team); }});
  }
  return plan;
}

}  // namespace ringscope::mpi
