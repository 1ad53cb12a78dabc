// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/probes/stream.hpp"

#include <algorithm>
#include <vector>

#include "validation/executors/mpi/clock.hpp"

namespace ringscope::mpi {

int window_of(std::uint64_t bytes) {
  constexpr std::uint64_t volume = 2 << 20;
  return static_cast<int>(std::clamp<std::uint64_t>(volume / bytes, 2, 64));
}

void run_stream(const Team& team, MPI_Comm comm, const Stream& stream, int windows,
                const std::byte* sent, std::byte* received) {
  const int partner = (team.index + stream.pairs) % team.size;
  const bool leads = team.index < stream.pairs;
  const bool sends = leads || stream.directions == 2;
  const bool receives = !leads || stream.directions == 2;
  std::vector<MPI_Request> requests;
  for (int i = 0; i < windows; ++i) {
    requests.clear();
    for (int k = 0; receives && k < stream.window; ++k)
      requests.push_back(irecv_bytes(received + static_cast<std::uint64_t>(k) * stream.bytes,
                                     stream.bytes, partner, comm, stream.tag));
    for (int k = 0; sends && k < stream.window; ++k)
      requests.push_back(isend_bytes(sent, stream.bytes, partner, comm, stream.tag));
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    if (leads)
      await_signal(partner, comm, stream.tag);
    else
      signal(partner, comm, stream.tag);
  }
}

double time_stream(Bench& bench, const Team& team, const Stream& stream, int windows) {
  const std::byte* sent = bench.room(0, stream.bytes);
  const auto window = static_cast<std::uint64_t>(stream.window);
  std::byte* received = bench.room(1, window * stream.bytes);
  team.meet();
  const double start_s = now_s();
  run_stream(team, team.comm, stream, windows, sent, received);
  return team.slowest(now_s() - start_s);
}

}  // namespace ringscope::mpi
