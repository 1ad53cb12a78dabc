// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "cli/lesson/lesson_case.hpp"
#include "scenarios/answer/path_chain.hpp"
#include "scenarios/answer/recording.hpp"

namespace ringscope::lesson {
namespace {

/// Sender and receiver of the message that a segment belongs to; -1: unknown.
struct MessageEnds {
  int from = -1, to = -1;
  bool operator==(const MessageEnds&) const = default;
};

/// Messages of those segments of a critical path that have no rank.
///
/// Between two segments with ranks the path is followed backward: from the rank that it comes to,
/// over the message that was complete at that instant, to the sender. Where several messages could
/// be meant, their segments stay unknown.
class MessagesOfPath {
 public:
  explicit MessagesOfPath(const Report& report)
      : segments_(report.chain->segments),
        messages_(report.chain->messages),
        ranks_(report.ranks),
        near_s_(report.time_s / ticks),
        into_(report.ranks),
        out_of_(report.ranks),
        ends_(segments_.size()) {
    for (const MessageSpan& one : messages_) {
      if (!is_drawn(one)) continue;
      into_[one.to].push_back(&one);
      out_of_[one.from].push_back(&one);
    }
  }

  /// One entry per segment.
  std::vector<MessageEnds> ends() {
    for (std::size_t i = segments_.size(); i > 0;) {
      const std::size_t last = i;
      while (i > 0 && segments_[i - 1].segment.rank < 0) --i;
      if (i == last)
        --i;
      else
        follow(i, last);
    }
    return std::move(ends_);
  }

 private:
  using Messages = std::vector<const MessageSpan*>;
  /// A message and the first of the segments that belong to it.
  struct Hop {
    MessageEnds ends;
    std::size_t first = 0;
  };
  static constexpr int looked_at = 64;  ///< messages after an instant that may cover a gap

  /// Background jobs exchange messages, too; their ranks are not drawn.
  bool is_drawn(const MessageSpan& one) const { return std::max(one.from, one.to) < ranks_; }
  int rank_of(std::size_t segment) const {
    if (segment >= segments_.size()) return -1;
    const int rank = segments_[segment].segment.rank;
    return rank < ranks_ ? rank : -1;
  }

  /// Segments [first, last) have no rank.
  void follow(std::size_t first, std::size_t last) {
    const int before = first > 0 ? rank_of(first - 1) : -1;
    int to = rank_of(last);
    while (last > first) {
      std::optional<Hop> hop = exact(to, before, first, last);
      if (!hop && to >= 0 && before >= 0) hop = covering(to, before, first, last);
      if (!hop) return;
      std::fill(ends_.begin() + static_cast<std::ptrdiff_t>(hop->first),
                ends_.begin() + static_cast<std::ptrdiff_t>(last), hop->ends);
      last = hop->first;
      to = hop->ends.from;
    }
  }

  /// The only message into `to`, or into any rank if that is -1, complete when the path came there.
  std::optional<Hop> exact(int to, int before, std::size_t first, std::size_t last) const {
    const double end = segments_[last - 1].end_s();
    std::optional<Hop> found;
    bool several = false;
    const auto look = [&](const MessageSpan& one) {
      const std::size_t begin = first_within(one, first, last);
      if (begin == last || !is_possible(one, before, first, begin, last)) return;
      const MessageEnds ends{one.from, one.to};
      several = several || (found && found->ends != ends);
      found = Hop{ends, found ? std::max(found->first, begin) : begin};
    };
    if (to >= 0) {
      const Messages& list = into_[to];
      for (auto one = not_before(list, end); one != list.end(); ++one) {
        if ((*one)->end_s > end + near_s_) break;
        look(**one);
      }
    } else {
      for (auto one = messages_.rbegin(); one != messages_.rend(); ++one) {
        if (one->end_s < end - near_s_) break;
        if (one->end_s <= end + near_s_ && is_drawn(*one)) look(*one);
      }
    }
    return several ? std::nullopt : found;
  }

  /// A message between the ranks before and after the gap that was on its way all the time. Where
  /// both are the same rank, any message of it: the path stays there.
  std::optional<Hop> covering(int to, int before, std::size_t first, std::size_t last) const {
    const double start = segments_[first].start_s, end = segments_[last - 1].end_s();
    const auto is_there = [&](const Messages& list, bool incoming) {
      auto one = not_before(list, end);
      for (int n = 0; n < looked_at && one != list.end(); ++n, ++one) {
        const int partner = incoming ? (*one)->from : (*one)->to;
        if ((*one)->start_s <= start + near_s_ && (to == before || partner == before)) return true;
      }
      return false;
    };
    if (!is_there(into_[to], true) && !is_there(out_of_[to], false)) return std::nullopt;
    return Hop{{before, to}, first};
  }

  /// Messages stand by the time of their completion.
  Messages::const_iterator not_before(const Messages& list, double end) const {
    return std::partition_point(list.begin(), list.end(),
                                [&](const MessageSpan* one) { return one->end_s < end - near_s_; });
  }

  /// First of the segments [first, last) that began after the message was sent.
  std::size_t first_within(const MessageSpan& message, std::size_t first, std::size_t last) const {
    const auto begin = segments_.begin();
    const auto found = std::partition_point(
        begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
        [&](const ChainSegment& one) { return one.start_s < message.start_s - near_s_; });
    return static_cast<std::size_t>(found - begin);
  }

  /// The message has to meet the rank before the gap if it fills the gap, and the owners of all
  /// resources in it.
  bool is_possible(const MessageSpan& message, int before, std::size_t first, std::size_t begin,
                   std::size_t last) const {
    const auto meets = [&](int rank) {
      return rank < 0 || rank == message.from || rank == message.to;
    };
    if (begin == first && !meets(before)) return false;
    for (std::size_t i = last; i-- > begin;) {
      const ResourceId& resource = segments_[i].segment.resource;
      if (resource.job.empty() && !meets(resource.rank)) return false;
    }
    return true;
  }

  const std::vector<ChainSegment>& segments_;
  const std::vector<MessageSpan>& messages_;
  int ranks_;
  double near_s_;
  Table<Messages> into_, out_of_;  ///< of each rank
  std::vector<MessageEnds> ends_;
};

}  // namespace

std::string_view followed(const Report& report) {
  constexpr std::size_t most_messages = 10'000, most_changes = 20'000;
  const Recording& recording = *report.recording;
  if (recording.no_chunks.empty() && report.spans.size() <= most_spans &&
      recording.chunks.changes.size() <= most_changes)
    return "chunks";
  const bool few = report.chain != nullptr && report.chain->messages.size() <= most_messages;
  return few ? "messages" : "nothing";
}

Json messages_json(const Report& report) {
  Json list = Json::array();
  if (followed(report) != "messages") return list;
  for (const MessageSpan& one : report.chain->messages)
    if (one.bytes > 0 && std::max(one.from, one.to) < report.ranks)  // of no background job
      list.push_back({tick(one.start_s, report.time_s), tick(one.end_s, report.time_s), one.from,
                      one.to, one.bytes});
  return list;
}

// Equal neighbours merge into one segment, and anything shorter than a tick is dropped.
Json path_json(const Report& report) {
  Json list = Json::array();
  if (report.chain == nullptr) return list;
  const std::vector<ChainSegment>& segments = report.chain->segments;
  const std::vector<MessageEnds> all_ends = MessagesOfPath(report).ends();
  std::optional<std::size_t> before;
  int last = tick(report.chain->begin_s, report.time_s);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const int start = last, end = tick(segments[i].end_s(), report.time_s);
    if (end <= start) continue;
    const PathSegment& segment = segments[i].segment;
    const MessageEnds ends = all_ends[i];
    const bool same = before && segments[*before].segment.cause == segment.cause &&
                      segments[*before].segment.rank == segment.rank &&
                      segments[*before].segment.resource == segment.resource &&
                      all_ends[*before] == ends;
    if (same) {
      list.back()[1] = end;
    } else {
      list.push_back(
          {start, end, cause_names[segment.cause], segment.rank, segment.resource.name()});
      if (ends.from >= 0) {
        list.back().push_back(ends.from);
        list.back().push_back(ends.to);
      }
    }
    before = i;
    last = end;
  }
  return list;
}

}  // namespace ringscope::lesson
