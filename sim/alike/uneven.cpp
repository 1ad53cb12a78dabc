// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/alike/uneven.hpp"

#include <cmath>

namespace ringscope::sim {
namespace {

/// Sizes are equal, or differ by one item, as those of chunks do where the ranks do not divide the
/// whole, and a message is sent in the same way.
bool nearly_equal(const Scenario& scenario, std::size_t a, std::size_t b) {
  if (a == b) return true;
  const std::size_t less = std::min(a, b), more = std::max(a, b);
  if (more - less > 1) return false;
  return std::ranges::all_of(scenario.library.transports, [&](const Transport& transport) {
    const std::uint64_t limit = transport.eager_limit.count;
    if (less <= limit && more > limit) return false;
    const SizedTime* times[] = {&transport.latency, &transport.send_overhead,
                                &transport.recv_overhead, &transport.registration};
    return std::ranges::all_of(times, [&](const SizedTime* time) {
      const double before = time->at(less), after = time->at(more);
      return std::abs(after - before) <= most_uneven * after;
    });
  });
}

}  // namespace

std::optional<double> unevenness(const Scenario& scenario, const std::vector<ScriptLine>& ours,
                                 const std::vector<ScriptLine>& theirs) {
  if (ours.size() != theirs.size()) return {};
  double messages = 0, items = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ScriptLine same = theirs[i];
    for (const auto size : {&ScriptLine::size, &ScriptLine::other_size}) {
      if (!nearly_equal(scenario, ours[i].*size, theirs[i].*size)) return {};
      same.*size = ours[i].*size;
    }
    if (same != ours[i]) return {};
    if (ours[i].peer < 0) continue;
    ++messages;
    items += static_cast<double>(ours[i].size);
  }
  const double share = messages / std::max(items, 1.0);
  if (share > most_uneven) return {};
  return share;
}

}  // namespace ringscope::sim
