// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a send return before its receiver comes? Up to which size is the eager limit, to the byte.
#include <algorithm>
#include <set>

#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

constexpr double late_s = 0.02;  ///< above what a small message takes, and above a loss of the core
/// A send that waits takes all of late_s, but for the precision of two clocks.
constexpr double waited_s = 0.9 * late_s;
constexpr std::uint64_t largest = 64 << 20;
constexpr int most_searches = 3;  ///< each begins where the one before was contradicted

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

/// Search for the eager limit of a pair. Judges by the quickest send: one that returned early shows
/// an eager message. A busy machine delays eager sends too, so no message counts as held back until
/// the search has measured it again.
class EagerSearch {
 public:
  EagerSearch(Bench& bench, const Team& pair, bool kept)
      : bench_(bench), pair_(pair), kept_(kept) {}

  /// Where time runs out, the longest message that was not held back. Nothing when none was held
  /// back.
  std::optional<std::uint64_t> run() {
    for (int searches = 0; searches < most_searches; ++searches) {
      if (!bracket()) break;
      if (!halve()) break;
      if (is_held_back(held_back_).value_or(true)) break;
      eager_ = held_back_;
    }
    if (all_eager_) return std::nullopt;
    for (const std::uint64_t bytes : std::set(held_))
      if (bytes < eager_) is_held_back(bytes);
    return eager_;
  }

 private:
  /// Nothing when there was no time to find out.
  std::optional<bool> is_held_back(std::uint64_t bytes) {
    Point point{
        "late_receiver", {{"bytes", bytes}, {"way", pair_.way}, {"delay_s", late_s}}, bytes};
    point.kept = kept_;
    const auto quickest_s =
        bench_.quickest(pair_, point, [&] { return send_to_late_receiver(bench_, pair_, bytes); });
    if (!quickest_s) return std::nullopt;
    const bool late = *quickest_s >= waited_s;
    if (late)
      held_.insert(bytes);
    else
      held_.erase(bytes);
    return late;
  }

  /// Doubles the message until one is held back, and one of four times its size as well: what an
  /// MPI library holds back for want of a free buffer may lie far below its limit. False where time
  /// runs out or none is held back.
  bool bracket() {
    for (;;) {
      std::uint64_t longest = std::max<std::uint64_t>(1, 2 * eager_);
      held_back_ = longest;
      auto late = is_held_back(longest);
      if (late && *late && 4 * longest <= largest) {
        longest *= 4;
        late = is_held_back(longest);
      }
      if (!late) return false;
      if (*late) return true;
      all_eager_ = longest >= largest;
      if (all_eager_) return false;
      eager_ = longest;
    }
  }

  /// False where time runs out.
  bool halve() {
    while (held_back_ - eager_ > 1) {
      const std::uint64_t middle = eager_ + (held_back_ - eager_) / 2;
      const auto late = is_held_back(middle);
      if (!late) return false;
      (*late ? held_back_ : eager_) = middle;
    }
    return true;
  }

  Bench& bench_;
  const Team& pair_;
  bool kept_;
  std::uint64_t eager_ = 0;       ///< the longest that was not held back
  std::uint64_t held_back_ = 0;   ///< the shortest above it that was; 0 until one was
  bool all_eager_ = false;        ///< up to the largest size
  std::set<std::uint64_t> held_;  ///< all that always were
};

}  // namespace

std::optional<std::uint64_t> eager_limit(Bench& bench, const Team& pair) {
  const auto known = bench.eager_limits().find(pair.way);
  if (known != bench.eager_limits().end()) return known->second;
  return bench.eager_limits()[pair.way] = EagerSearch(bench, pair, false).run();
}

std::vector<Series> plan_late_receiver(Layout& layout) {
  constexpr double weight = 4;  // many points that take the delay each; other probes need the limit
  const auto search = [](Bench& bench, const Team& pair) {
    bench.eager_limits()[pair.way] = EagerSearch(bench, pair, true).run();
  };
  return for_each_pair(layout, "late_receiver", search, weight);
}

}  // namespace ringscope::mpi
