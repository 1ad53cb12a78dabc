// SPDX-License-Identifier: LGPL-2.1-or-later
// Are two threads as good as two processes, and does a communicator of their own help them?
#include <array>
#include <thread>

#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

/// Two streams from one process to another, each by a thread of its own on either side.
double time_threads(Bench& bench, const Team& pair, const Stream& stream,
                    const std::array<MPI_Comm, 2>& comms, int windows) {
  const std::uint64_t window_bytes = static_cast<std::uint64_t>(stream.window) * stream.bytes;
  const std::byte* sent = bench.room(0, stream.bytes);
  std::byte* received = bench.room(1, 2 * window_bytes);
  Stream second = stream;
  second.tag = stream.tag + 1;
  pair.meet();
  const double start_s = now_s();
  std::thread other(
      [&] { run_stream(pair, comms[1], second, windows, sent, received + window_bytes); });
  run_stream(pair, comms[0], stream, windows, sent, received);
  other.join();
  return now_s() - start_s;
}

Point point_of(const Team& team, const Stream& stream, const std::string& arrangement) {
  Point point{"threads",
              {{"bytes", stream.bytes}, {"way", team.way}, {"arrangement", arrangement}},
              stream.bytes};
  point.operations = 2 * stream.window;
  point.batch_s = 5e-3;  // starting a thread must not count
  return point;
}

void by_threads(Bench& bench, const Team& pair, const std::string& arrangement) {
  std::array<MPI_Comm, 2> comms = {pair.comm, pair.comm};
  const bool own = arrangement == "two_communicators";
  if (own) MPI_Comm_dup(pair.comm, &comms[1]);
  for (const std::uint64_t bytes : bench.sizes(pair, false)) {
    const Stream stream{bytes, window_of(bytes)};
    bench.measure(pair, point_of(pair, stream, arrangement),
                  [&](int windows) { return time_threads(bench, pair, stream, comms, windows); });
  }
  if (own) MPI_Comm_free(&comms[1]);
}

void by_processes(Bench& bench, const Team& team) {
  for (const std::uint64_t bytes : bench.sizes(team, false)) {
    const Stream stream{bytes, window_of(bytes), 2};
    bench.measure(team, point_of(team, stream, "two_processes"),
                  [&](int windows) { return time_stream(bench, team, stream, windows); });
  }
}

}  // namespace

std::vector<Series> plan_threads(Layout& layout) {
  std::vector<Series> plan;
  for (const Team& pair : layout.pairs()) {
    if (pair.size < 2) continue;
    for (const std::string arrangement : {"one_communicator", "two_communicators"})
      plan.push_back({"threads, " + pair.way + ", " + arrangement, pair,
                      [pair, arrangement](Bench& bench) { by_threads(bench, pair, arrangement); }});
  }
  if (layout.most_network_pairs() >= 2) {
    const Team team = layout.network_pairs(2);
    plan.push_back({"threads, network, two_processes", team,
                    [team](Bench& bench) { by_processes(bench, team); }});
  }
  return plan;
}

}  // namespace ringscope::mpi
