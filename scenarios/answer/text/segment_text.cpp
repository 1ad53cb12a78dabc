// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <string_view>

#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {
namespace {

struct Words {
  std::string_view cause;
  std::string_view preposition;  ///< between the cause and the resource or rank
};

constexpr Array<Words, cause_names.size()> words = {{{{"computing", "on"},
                                                      {"reducing", "on"},
                                                      {"message overhead", "on"},
                                                      {"copying", "on"},
                                                      {"memory traffic", "in"},
                                                      {"the wire", "at"},
                                                      {"waiting for the lock", "of"},
                                                      {"latency", "of"},
                                                      {"handshakes", "with"},
                                                      {"waiting for the call", "of"},
                                                      {"waiting for progress", "of"},
                                                      {"a late start", "of"},
                                                      {"files", "at"},
                                                      {"waiting for a clock", "of"},
                                                      {"noise", "on"},
                                                      {"the input", "of"},
                                                      {"pinning buffers", "on"}}}};

/// "host0 (400 records/s)": the input itself is the cause.
std::string place_of(const PathSegment& segment) {
  std::string place = segment.resource.name();
  if (const auto input = place.find("/input");
      segment.cause == Cause::input && input < place.size())
    place.erase(input, std::string_view("/input").size());
  return place;
}

}  // namespace

std::string segment_text(const PathSegment& segment, bool most) {
  std::string where = place_of(segment);
  if (segment.rank >= 0 && segment.resource.rank < 0 && segment.cause != Cause::input) {
    const std::string rank = "rank " + std::to_string(segment.rank);
    where += where.empty() ? rank : " (" + rank + ")";
  }
  const auto& [cause, preposition] = words[segment.cause];
  std::string text(cause);
  if (where.empty()) return text;
  text.append(most ? ", most of it " : " ").append(preposition);
  return text.append(" ").append(where);
}

std::string stuck_words(const Report& report) {
  const Deadlock& deadlock = *report.deadlock;
  std::string why = deadlock.text;
  if (!deadlock.cycle.empty())
    why = fmt::format("ranks {} wait for each other", fmt::join(deadlock.cycle, ", "));
  else if (!deadlock.waits.empty())
    why = "some wait for what never comes";
  return fmt::format("never ends: after {} {}", to_short_text(Seconds(report.time_s)), why);
}

}  // namespace ringscope
