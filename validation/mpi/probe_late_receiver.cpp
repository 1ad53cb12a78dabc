// Does a send return before its receiver comes? Up to which size is the eager limit, to the byte.
#include <algorithm>

#include "validation/mpi/clock.hpp"
#include "validation/mpi/exchange.hpp"
#include "validation/mpi/probe.hpp"

namespace ringscope::mpi {
namespace {

constexpr double delay_s = 0.01;  ///< far above what a small message takes on any network
constexpr std::uint64_t largest = 64 << 20;

double send_to_late_receiver(Bench& bench, const Team& pair, std::uint64_t bytes) {
  std::byte* data = bench.room(0, bytes);
  pair.meet();
  if (pair.index == 1) {
    await_signal(0, pair.comm);
    doze(delay_s);
    recv_bytes(data, bytes, 0, pair.comm);
    return 0;
  }
  signal(1, pair.comm);
  const double start_s = now_s();
  send_bytes(data, bytes, 1, pair.comm);
  return now_s() - start_s;
}

/// Nothing when there was no time to find out.
std::optional<bool> is_held_back(Bench& bench, const Team& pair, std::uint64_t bytes, bool kept) {
  Point point{"late_receiver", {{"bytes", bytes}, {"way", pair.way}, {"delay_s", delay_s}}, bytes};
  point.batch_s = 0;
  point.most_samples = 5;
  point.kept = kept;
  const auto median_s = bench.measure(pair, point, [&](int iterations) {
    double seconds = 0;
    for (int i = 0; i < iterations; ++i) seconds += send_to_late_receiver(bench, pair, bytes);
    return seconds;
  });
  if (!median_s) return std::nullopt;
  return *median_s > delay_s / 2;
}

/// Powers of two until one is held back, and one more for the fit; then halves what is between.
/// Where time runs out, the longest message that was not held back. Nothing when none was held
/// back.
std::optional<std::uint64_t> search(Bench& bench, const Team& pair, bool kept) {
  std::uint64_t eager = 0, held_back = 1;
  for (;; held_back *= 2) {
    const auto late = is_held_back(bench, pair, held_back, kept);
    if (!late) return eager;
    if (*late) break;
    if (held_back >= largest) return std::nullopt;
    eager = held_back;
  }
  while (held_back - eager > 1) {
    const std::uint64_t middle = eager + (held_back - eager) / 2;
    const auto late = is_held_back(bench, pair, middle, kept);
    if (!late) break;
    (*late ? held_back : eager) = middle;
  }
  if (kept) is_held_back(bench, pair, 4 * held_back, kept);
  return eager;
}

}  // namespace

std::optional<std::uint64_t> eager_limit(Bench& bench, const Team& pair) {
  const auto known = bench.eager_limits().find(pair.way);
  if (known != bench.eager_limits().end()) return known->second;
  return bench.eager_limits()[pair.way] = search(bench, pair, false);
}

std::vector<Series> plan_late_receiver(Layout& layout) {
  std::vector<Series> plan;
  for (const Team& pair : layout.pairs()) {
    if (pair.size < 2) continue;
    plan.push_back(
        {"late_receiver, " + pair.way, pair,
         [pair](Bench& bench) { bench.eager_limits()[pair.way] = search(bench, pair, true); },
         4});  // many points that take the delay each; other probes need the limit
  }
  return plan;
}

}  // namespace ringscope::mpi
