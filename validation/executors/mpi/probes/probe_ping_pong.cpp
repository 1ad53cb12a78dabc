// SPDX-License-Identifier: LGPL-2.1-or-later
// Time of a message in flight, when nothing else is.
#include "validation/executors/mpi/probes/exchange.hpp"
#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

void round_trip(const Team& pair, std::byte* data, std::uint64_t bytes) {
  if (pair.index == 0) {
    send_bytes(data, bytes, 1, pair.comm);
    recv_bytes(data, bytes, 1, pair.comm);
  } else {
    recv_bytes(data, bytes, 0, pair.comm);
    send_bytes(data, bytes, 0, pair.comm);
  }
}

/// Nobody can wait for himself in MPI_Send.
void to_itself(Bench& bench, const Team& one, std::uint64_t bytes) {
  const auto count = static_cast<int>(bytes);
  MPI_Sendrecv(bench.room(0, bytes), count, MPI_BYTE, 0, data_tag, bench.room(1, bytes), count,
               MPI_BYTE, 0, data_tag, one.comm, MPI_STATUS_IGNORE);
}

void ping_pong(Bench& bench, const Team& team) {
  const bool alone = team.size == 1;
  for (const std::uint64_t bytes : bench.sizes(team)) {
    std::byte* data = bench.room(0, bytes);
    Point point{"ping_pong", {{"bytes", bytes}, {"way", team.way}}, bytes};
    point.operations = alone ? 1 : 2;
    bench.measure(team, point, [&](int iterations) {
      return time_of(team, iterations, [&] {
        alone ? to_itself(bench, team, bytes) : round_trip(team, data, bytes);
      });
    });
  }
}

}  // namespace

std::vector<Series> plan_ping_pong(Layout& layout) {
  std::vector<Series> plan;
  for (const Team& team : layout.pairs())
    plan.push_back(
        {"ping_pong, " + team.way, team, [team](Bench& bench) { ping_pong(bench, team); }});
  return plan;
}

}  // namespace ringscope::mpi
