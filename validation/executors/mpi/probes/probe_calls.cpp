// SPDX-License-Identifier: LGPL-2.1-or-later
// Cost of a call to the rank that makes it, when its partner keeps it from nothing.
#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

constexpr double into_wait_s = 5e-6;  ///< from the receiver's signal until it is inside MPI again

/// The seconds inside MPI_Isend, or until the end of MPI_Wait after it.
double time_send(const Team& pair, std::byte* data, std::uint64_t bytes, bool complete) {
  if (pair.index == 1) {
    recv_asked_for(data, bytes, 0, pair.comm);
    return 0;
  }
  await_signal(1, pair.comm);
  spin(into_wait_s);
  const double start_s = now_s();
  MPI_Request request = isend_bytes(data, bytes, 1, pair.comm);
  const double called_s = now_s() - start_s;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return complete ? now_s() - start_s : called_s;
}

void send_calls(Bench& bench, const Team& pair, bool complete) {
  for (const std::uint64_t bytes : bench.sizes(pair)) {
    std::byte* data = bench.room(0, bytes);
    const Point point{
        complete ? "send_complete" : "send_call", {{"bytes", bytes}, {"way", pair.way}}, bytes};
    bench.measure(pair, point, [&](int iterations) {
      return sum_of(iterations, [&] { return time_send(pair, data, bytes, complete); });
    });
  }
}

/// The seconds inside MPI_Recv, `patience_s` after the message was asked for. Outside of MPI
/// meanwhile: what the library must do to fetch what has arrived belongs to the call.
double time_recv(const Team& pair, std::byte* data, std::uint64_t bytes, double patience_s) {
  if (pair.index == 0) {
    send_when_asked(data, bytes, 1, pair.comm);
    return 0;
  }
  signal(0, pair.comm);
  spin(patience_s);
  const double start_s = now_s();
  recv_bytes(data, bytes, 0, pair.comm);
  return now_s() - start_s;
}

/// Long enough for the signal and the message, by far: three times what both took at the best.
double patience(const Team& pair, std::byte* data, std::uint64_t bytes) {
  double best_s = 1;
  for (int i = 0; i < 5; ++i) best_s = std::min(best_s, time_recv(pair, data, bytes, 0));
  return 3 * best_s + 20e-6;
}

void recv_calls(Bench& bench, const Team& pair) {
  const auto limit = eager_limit(bench, pair);
  for (const std::uint64_t bytes : bench.sizes(pair)) {
    if (limit && bytes > *limit) return;
    std::byte* data = bench.room(0, bytes);
    double patience_s = 0;
    const Point point{"recv_call", {{"bytes", bytes}, {"way", pair.way}}, bytes};
    bench.measure(pair, point, [&](int iterations) {
      if (patience_s == 0) patience_s = patience(pair, data, bytes);
      return pair.told(sum_of(iterations, [&] { return time_recv(pair, data, bytes, patience_s); }),
                       1);
    });
  }
}

}  // namespace

std::vector<Series> plan_send_call(Layout& layout) {
  return for_each_pair(layout, "send_call",
                       [](Bench& bench, const Team& pair) { send_calls(bench, pair, false); });
}

std::vector<Series> plan_send_complete(Layout& layout) {
  return for_each_pair(layout, "send_complete",
                       [](Bench& bench, const Team& pair) { send_calls(bench, pair, true); });
}

std::vector<Series> plan_recv_call(Layout& layout) {
  return for_each_pair(layout, "recv_call", recv_calls);
}

}  // namespace ringscope::mpi
