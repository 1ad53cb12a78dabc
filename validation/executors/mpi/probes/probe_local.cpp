// SPDX-License-Identifier: LGPL-2.1-or-later
// Speed of a core on its own memory, alone and while others of its host do the same.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "validation/executors/mpi/clock.hpp"
#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

using Work = void (*)(std::span<float> to, std::span<const float> from);

// As executor 2 does it for `reduce` and `copy`.
void add(std::span<float> to, std::span<const float> from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}
void copy(std::span<float> to, std::span<const float> from) {
  std::copy(from.begin(), from.end(), to.begin());
}

void local_work(Bench& bench, const Team& team, const std::string& what, Work work) {
  std::vector<float> to, from;
  for (const std::uint64_t bytes : bench.sizes(team)) {
    const std::size_t items = bytes / sizeof(float);
    if (items == 0 || items == to.size()) continue;
    to.assign(items, 1);
    from.assign(items, 0);
    Point point{what, {{"bytes", items * sizeof(float)}, {"ranks", team.size}}, bytes};
    // The barriers must not count, and ranks that share a core must all have had their turn.
    if (team.size > 1) point.batch_s = 2e-3;
    bench.measure(team, point, [&](int iterations) {
      team.meet();
      const double start_s = now_s();
      for (int i = 0; i < iterations; ++i) work(to, from);
      if (team.size > 1) team.meet();
      return team.slowest(now_s() - start_s);
    });
  }
}

std::vector<Series> by_ranks(Layout& layout, const std::string& what, Work work) {
  std::vector<Series> plan;
  for (const int ranks : doubling_to(layout.most_of_one_host())) {
    const Team team = layout.of_one_host(ranks);
    plan.push_back({fmt::format("{}, {} ranks", what, ranks), team,
                    [team, what, work](Bench& bench) { local_work(bench, team, what, work); }});
  }
  return plan;
}

}  // namespace

std::vector<Series> plan_reduction(Layout& layout) { return by_ranks(layout, "reduction", add); }
std::vector<Series> plan_copy(Layout& layout) { return by_ranks(layout, "copy", copy); }

}  // namespace ringscope::mpi
