// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a message move on while its rank computes?
#include <fmt/format.h>

#include <algorithm>

#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

/// The part that computes, for how long, and whether it looks after its message meanwhile.
struct Computation {
  int part = 0;
  double seconds = 0;
  bool tests = false;
};

void compute(const Computation& computation, MPI_Request& request) {
  if (!computation.tests) return spin(computation.seconds);
  const double slice_s = std::min(100e-6, computation.seconds / 10);
  const double end_s = now_s() + computation.seconds;
  for (int done = 0; now_s() < end_s; spin(std::min(slice_s, end_s - now_s())))
    if (done == 0) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/// The part that does not compute is inside MPI from before the send to its end.
double time_overlap(Bench& bench, const Team& pair, std::uint64_t bytes,
                    const Computation& computation) {
  std::byte* data = bench.room(0, bytes);
  const bool sends = pair.index == 0;
  double seconds = 0;
  if (pair.index == computation.part) {
    sends ? await_signal(1, pair.comm) : signal(0, pair.comm);
    const double start_s = now_s();
    MPI_Request request =
        sends ? isend_bytes(data, bytes, 1, pair.comm) : irecv_bytes(data, bytes, 0, pair.comm);
    compute(computation, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    seconds = now_s() - start_s;
  } else if (sends) {
    send_when_asked(data, bytes, 1, pair.comm);
  } else {
    recv_asked_for(data, bytes, 0, pair.comm);
  }
  return pair.told(seconds, computation.part);
}

/// Time from the receiver's signal to the end of its receive, nobody computing.
std::optional<double> transfer(Bench& bench, const Team& pair, std::uint64_t bytes) {
  Point point{"overlap", {}, bytes};
  point.most_samples = 5;
  point.kept = false;
  return bench.measure(pair, point, [&](int iterations) {
    return sum_of(iterations, [&] { return time_overlap(bench, pair, bytes, {1, 0, false}); });
  });
}

/// Two that need the receiver's consent, far above the limit, and one that does not.
std::vector<std::uint64_t> telling_sizes(std::optional<std::uint64_t> limit) {
  if (!limit) return {64 << 10, 256 << 10, 1 << 20};
  const std::uint64_t above = std::max<std::uint64_t>(256 << 10, 4 * *limit);
  const std::uint64_t below = *limit / 2;
  if (below == 0) return {above, 4 * above};
  return {below, above, 4 * above};
}

void overlap(Bench& bench, const Team& pair, int part) {
  for (const std::uint64_t bytes : telling_sizes(eager_limit(bench, pair))) {
    const auto transfer_s = transfer(bench, pair, bytes);
    if (!transfer_s) return;
    // Two digits: the same for all points of one size, and readable.
    const double compute_s = std::stod(fmt::format("{:.1e}", 1.5 * *transfer_s));
    for (const bool tests : {false, true}) {
      const Point point{"overlap",
                        {{"bytes", bytes},
                         {"way", pair.way},
                         {"side", part == 0 ? "sender" : "receiver"},
                         {"tests", tests},
                         {"compute_s", compute_s}},
                        bytes};
      bench.measure(pair, point, [&](int iterations) {
        return sum_of(iterations, [&] {
          return time_overlap(bench, pair, bytes, {part, compute_s, tests});
        });
      });
    }
  }
}

}  // namespace

std::vector<Series> plan_overlap(Layout& layout) {
  return for_each_side(layout, "overlap", overlap);
}

}  // namespace ringscope::mpi
