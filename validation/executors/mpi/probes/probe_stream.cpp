// SPDX-License-Identifier: LGPL-2.1-or-later
// Bandwidth of a link: one way, both ways, for one process, for several at once.
#include <fmt/format.h>

#include "validation/executors/mpi/clock.hpp"
#include "validation/executors/mpi/probes/probe.hpp"
#include "validation/executors/mpi/probes/stream.hpp"

namespace ringscope::mpi {
namespace {

void streams(Bench& bench, const Team& team, int directions) {
  for (const std::uint64_t bytes : bench.sizes(team, false)) {
    const Stream stream{bytes, window_of(bytes), team.size / 2, directions};
    Point point{"stream",
                {{"bytes", bytes},
                 {"way", team.way},
                 {"pairs", stream.pairs},
                 {"directions", directions},
                 {"window", stream.window}},
                bytes};
    point.operations = stream.window;
    bench.measure(team, point,
                  [&](int windows) { return time_stream(bench, team, stream, windows); });
  }
}

/// CPU time of one part; told to part 0, which keeps the samples.
void stream_cpu(Bench& bench, const Team& pair, int part) {
  for (const std::uint64_t bytes : bench.sizes(pair, false)) {
    const Stream stream{bytes, window_of(bytes)};
    Point point{"stream_cpu",
                {{"bytes", bytes}, {"way", pair.way}, {"side", part == 0 ? "sender" : "receiver"}},
                bytes};
    point.operations = stream.window;
    point.batch_s = 1e-3;  // reading this clock is a system call
    bench.measure(pair, point, [&](int windows) {
      const double start_s = process_cpu_s();
      time_stream(bench, pair, stream, windows);
      return pair.told(process_cpu_s() - start_s, part);
    });
  }
}

}  // namespace

std::vector<Series> plan_stream(Layout& layout) {
  std::vector<Team> teams;
  for (const Team& pair : layout.pairs())
    if (pair.size == 2) teams.push_back(pair);
  for (const int pairs : doubling_to(layout.most_network_pairs()))
    if (pairs > 1) teams.push_back(layout.network_pairs(pairs));
  std::vector<Series> plan;
  for (const Team& team : teams)
    for (const int directions : {1, 2})
      plan.push_back({fmt::format("stream, {}, {} pairs, {}", team.way, team.size / 2,
                                  directions == 1 ? "one way" : "both ways"),
                      team,
                      [team, directions](Bench& bench) { streams(bench, team, directions); }});
  return plan;
}

std::vector<Series> plan_stream_cpu(Layout& layout) {
  return for_each_side(layout, "stream_cpu", stream_cpu);
}

}  // namespace ringscope::mpi
