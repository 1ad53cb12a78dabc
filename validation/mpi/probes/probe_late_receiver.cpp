// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a send return before its receiver comes? Up to which size is the eager limit, to the byte.
#include <algorithm>
#include <limits>

#include "validation/mpi/clock.hpp"
#include "validation/mpi/probes/exchange.hpp"
#include "validation/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

constexpr double late_s = 0.01;  ///< far above what a small message takes on any network
constexpr std::uint64_t largest = 64 << 20;

double send_to_late_receiver(Bench& bench, const Team& pair, std::uint64_t bytes) {
  std::byte* data = bench.room(0, bytes);
  pair.meet();
  if (pair.index == 1) {
    await_signal(0, pair.comm);
    doze(late_s);
    recv_bytes(data, bytes, 0, pair.comm);
    return 0;
  }
  // The delay begins after this moment, so that a send that waits takes at least as long, however
  // late this rank gets its core.
  const double start_s = now_s();
  signal(1, pair.comm);
  send_bytes(data, bytes, 1, pair.comm);
  return now_s() - start_s;
}

/// Judges by the quickest send: one that returned early shows an eager message, and a busy machine
/// makes late ones of them too. Nothing when there was no time to find out.
std::optional<bool> is_held_back(Bench& bench, const Team& pair, std::uint64_t bytes, bool kept) {
  Point point{"late_receiver", {{"bytes", bytes}, {"way", pair.way}, {"delay_s", late_s}}, bytes};
  point.batch_s = 0;
  point.most_samples = 5;
  point.kept = kept;
  double quickest_s = std::numeric_limits<double>::infinity();
  const auto measured = bench.measure(pair, point, [&](int iterations) {
    return sum_of(iterations, [&] {
      const double send_s = send_to_late_receiver(bench, pair, bytes);
      quickest_s = std::min(quickest_s, send_s);
      return send_s;
    });
  });
  if (!measured) return std::nullopt;
  return pair.told(quickest_s) > late_s / 2;
}

/// Powers of two until one is held back, and four times as much as well: what an MPI library holds
/// back for want of a free buffer may lie far below its limit. Then halves what is between. Where
/// time runs out, the longest message that was not held back. Nothing when none was held back.
std::optional<std::uint64_t> search(Bench& bench, const Team& pair, bool kept) {
  std::uint64_t eager = 0, held_back = 1;
  for (;; held_back = 2 * eager) {
    auto late = is_held_back(bench, pair, held_back, kept);
    std::uint64_t longest = held_back;
    if (late && *late && 4 * held_back <= largest) {
      longest = 4 * held_back;
      late = is_held_back(bench, pair, longest, kept);
    }
    if (!late) return eager;
    if (*late) break;
    if (longest >= largest) return std::nullopt;
    eager = longest;
  }
  while (held_back - eager > 1) {
    const std::uint64_t middle = eager + (held_back - eager) / 2;
    const auto late = is_held_back(bench, pair, middle, kept);
    if (!late) break;
    (*late ? held_back : eager) = middle;
  }
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
