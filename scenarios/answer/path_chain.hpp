// SPDX-License-Identifier: LGPL-2.1-or-later
// The critical path in its order, and what was sent meanwhile: what explanations and traces need.
// All times are seconds from the start of the repetition that the report tells of.
#pragma once

#include <optional>
#include <vector>

#include "base/table.hpp"
#include "scenarios/answer/report.hpp"

namespace ringscope {

struct ChainSegment {
  PathSegment segment;
  double start_s = 0;
  /// Reason why a message waited meanwhile for the segment's rank: for its call (partner), or until
  /// it made progress.
  std::optional<Cause> waited;
  double end_s() const { return start_s + segment.seconds; }
};

/// Span of a message from the call of the send until the receive was complete.
struct MessageSpan {
  int from = 0, to = 0;
  std::uint64_t bytes = 0;
  bool between_hosts = false;
  double start_s = 0, end_s = 0;
  /// The cores that work on it, as places in PathChain::resources; -1: a NIC does, or the core is
  /// not on the path.
  int sender_core = -1, receiver_core = -1;
};

struct PathChain {
  double begin_s = 0;  ///< of what was before, only the totals of Report::path are known
  std::vector<ChainSegment> segments;
  std::vector<MessageSpan> messages;  ///< by the time of their completion
  /// Each that stands on the path.
  Table<ResourceReport> resources;
};

}  // namespace ringscope
