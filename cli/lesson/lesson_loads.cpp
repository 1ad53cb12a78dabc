// SPDX-License-Identifier: LGPL-2.1-or-later
// The load of every resource over time, and the states of every rank.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "algorithms/collectives.hpp"
#include "base/table.hpp"
#include "cli/lesson/lesson_case.hpp"
#include "scenarios/answer/recording.hpp"

namespace ringscope::lesson {
namespace {

constexpr int levels = 200;  // of a load, in a byte: half percents

/// The share of its capacity that was used in each of `bins` equal parts of the run: exact means.
std::vector<double> means(const LoadCurve& curve, double whole_s, int bins) {
  std::vector<double> used_by;  // the end of each part
  std::size_t next = 0;
  for (int bin = 0; bin <= bins; ++bin) {
    const double at = whole_s * bin / bins;
    while (next < curve.points.size() && curve.points[next].at < at) ++next;
    used_by.push_back(next == 0 ? 0 : curve.points[next - 1].used);
    if (next == 0 || next == curve.points.size()) continue;
    const auto &before = curve.points[next - 1], &after = curve.points[next];
    const double share = (at - before.at) / (after.at - before.at);
    used_by.back() += share * (after.used - before.used);
  }
  std::vector<double> means;
  const double possible = curve.capacity * whole_s / bins;
  for (std::size_t bin = 0; bin + 1 < used_by.size(); ++bin)
    means.push_back((used_by[bin + 1] - used_by[bin]) / possible);
  return means;
}

Json load_json(const LoadCurve& curve, double whole_s, int bins) {
  std::string bytes;
  for (const double mean : means(curve, whole_s, bins))
    bytes += static_cast<char>(std::lround(std::clamp(mean, 0.0, 1.0) * levels));
  return {{"name", curve.id.name()},
          {"kind", resource_kind_names[curve.kind]},
          {"rank", curve.id.job.empty() ? curve.id.rank : -1},
          {"capacity", curve.capacity},
          {"mean", curve.points.back().used / (curve.capacity * whole_s)},
          {"bins", base64(bytes)}};
}

/// Path of an algorithm's source from the root, however the compiler was given it; "": not one. The
/// scenario's stays as it is.
std::string_view from_root(std::string_view file) {
  if (file == scenario_source) return file;
  const std::size_t behind = std::max(file.rfind("algorithms/") + 1, file.rfind("nccl/") + 1);
  return behind > 0 ? file.substr(behind - 1) : "";
}

/// Every span of each rank: ticks since the last one, ticks, activity, cause, index of its place,
/// peer.
Json all_spans(const Report& report) {
  Json places = Json::array(), rows = Json::array();
  std::map<std::tuple<int, int, std::string_view, int>, int> known;
  Table<int> ends(report.ranks);
  for (int rank = 0; rank < report.ranks; ++rank) rows.push_back(Json::array());
  for (const Span& span : report.spans) {
    if (span.stream > 0) continue;  // a row of the page is a rank's first stream
    const int start = tick(span.start_s, report.time_s), end = tick(span.end_s, report.time_s);
    if (end <= start) continue;
    const std::string_view file = from_root(span.where.file);
    const auto [place, is_new] = known.try_emplace({span.phase, span.step, file, span.where.line},
                                                   static_cast<int>(known.size()));
    if (is_new) places.push_back({phase_of(report, span), span.step, file, span.where.line});
    int& last = ends[span.rank];
    Json& row = rows.begin()[span.rank];
    const int cause = span.cause ? static_cast<int>(*span.cause) : -1;
    for (const int number : {start - last, end - start, static_cast<int>(span.activity), cause,
                             place->second, span.peer})
      row.push_back(number);
    last = end;
  }
  return {{"places", places}, {"rows", rows}};
}

/// Lines of programs in the order of their first use, each with a letter from '0' on.
struct Lines {
  std::vector<const Span*> known;  ///< the first span of each

  char letter_of(const Span& span) {
    const auto same = std::ranges::find_if(known, [&](const Span* one) {
      return one->where.line == span.where.line && one->where.file == span.where.file;
    });
    const auto index = same - known.begin();
    if (same == known.end()) known.push_back(&span);
    constexpr int most = 75;  // printable letters
    return index < most ? static_cast<char>('0' + index) : ' ';
  }
};

/// Main activity of each rank in each of `slots` equal parts of the run, as letters: the activities
/// from 'a' on; behind them the causes, of one who is blocked. `at`: its line for the longest time.
Json merged_spans(const Report& report, int slots) {
  struct Slot {
    Array<double, activity_names.size() + cause_names.size()> seconds{};
    std::pair<double, char> longest{0, ' '};  ///< part of a span, and its line
  };
  const auto kind = [](const Span& span) {
    return span.cause ? static_cast<int>(activity_names.size()) + static_cast<int>(*span.cause)
                      : static_cast<int>(span.activity);
  };
  const double slot_s = report.time_s / slots;
  Table<std::string> rows(report.ranks), at(report.ranks);
  Lines lines;
  Slot now;
  const auto close_until = [&](int of, int slot) {
    for (std::string& row = rows[of]; static_cast<int>(row.size()) < slot; now = {}) {
      now.seconds[RankActivity::idle] =
          slot_s - std::accumulate(now.seconds.begin(), now.seconds.end(), 0.0);
      row += static_cast<char>('a' + (std::ranges::max_element(now.seconds) - now.seconds.begin()));
      at[of] += now.longest.second;
    }
  };
  int rank = 0;  // the spans of its stream follow each other in time
  for (const Span& span : report.spans) {
    if (span.stream > 0) continue;
    for (; rank < span.rank; ++rank) close_until(rank, slots);
    const char line = lines.letter_of(span);
    const int last = std::min(slots - 1, static_cast<int>(span.end_s / slot_s));
    for (int slot = static_cast<int>(span.start_s / slot_s); slot <= last; ++slot) {
      close_until(rank, slot);
      const double part =
          std::min(span.end_s, (slot + 1) * slot_s) - std::max(span.start_s, slot * slot_s);
      now.seconds[kind(span)] += part;
      now.longest = std::max(now.longest, {part, line});
    }
  }
  for (; rank < report.ranks; ++rank) close_until(rank, slots);
  Json list = Json::array();
  for (const Span* one : lines.known)
    list.push_back({phase_of(report, *one), 0, from_root(one->where.file), one->where.line});
  return {{"slots", slots}, {"rows", rows}, {"lines", list}, {"at", at}};
}

// The chunk matrix and how it changes.

/// "0-3,7"
std::string in_runs(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]);
    i = last + 1;
  }
  return text;
}

/// Promise of a collective: the number of contributions to these chunks of these ranks.
Json goal_of(const Job& job, int ranks) {
  const Collective& collective = collective_of(*job.algorithm);
  const char* where = "all";
  if (collective.after == Held::chunks) where = "own";
  if (collective.after == Held::root) where = "root";
  return {
      {"contributions", collective.sums ? ranks : 1}, {"where", where}, {"root", job.options.root}};
}

/// Small numbers take few bytes: seven bits each, the lowest first; the sign in the lowest bit.
void append(std::string& bytes, int number) {
  auto rest = static_cast<std::uint32_t>(number) << 1 ^ static_cast<std::uint32_t>(number >> 31);
  for (; rest >= 128; rest >>= 7) bytes += static_cast<char>(rest | 128);
  bytes += static_cast<char>(rest);
}

/// The holdings that a page tells apart: of many ranks nobody can see who contributed.
class Shown {
 public:
  explicit Shown(const ChunkHistory& history) : all_(history.ranks < many_ranks) {
    for (const Holding& holding : history.holdings) {
      Json json = {rounded(holding.contributions)};
      if (all_)
        json = {rounded(holding.contributions), in_runs(holding.ranks), holding.waiting,
                in_runs(holding.waiting_ranks)};
      const auto [place, is_new] = known_.try_emplace(json.dump(), static_cast<int>(known_.size()));
      if (is_new) list_.push_back(json);
      index_.push_back(place->second);
    }
  }
  int operator[](std::uint32_t holding) const { return index_[holding]; }
  const Json& list() const { return list_; }

 private:
  static double rounded(double contributions) { return std::round(contributions * 1000) / 1000; }

  bool all_;
  Json list_ = Json::array();
  std::map<std::string, int> known_;
  std::vector<int> index_;
};

/// Differences from change to change: ticks, rank, chunk, holding.
std::string changes(const ChunkHistory& history, const Shown& shown, double whole_s) {
  std::string bytes;
  int at = 0, rank = 0, chunk = 0, holding = 0;
  Table<int> now;
  for (const std::uint32_t one : history.at_start) now.push_back(shown[one]);
  for (const ChunkChange& change : history.changes) {
    const int to = shown[change.holding];
    int& cell = now[change.rank * history.chunks + change.chunk];
    if (std::exchange(cell, to) == to) continue;
    append(bytes, tick(change.at, whole_s) - std::exchange(at, tick(change.at, whole_s)));
    append(bytes, change.rank - std::exchange(rank, change.rank));
    append(bytes, change.chunk - std::exchange(chunk, change.chunk));
    append(bytes, to - std::exchange(holding, to));
  }
  return bytes;
}

/// Each number with how often it follows itself.
Json in_runs(const ChunkHistory& history, const Shown& shown) {
  Json list = Json::array();
  for (std::size_t i = 0; i < history.at_start.size();) {
    std::size_t next = i;
    const int holding = shown[history.at_start[i]];
    while (next < history.at_start.size() && shown[history.at_start[next]] == holding) ++next;
    list.push_back(holding);
    list.push_back(next - i);
    i = next;
  }
  return list;
}

}  // namespace

Json loads_json(const Recording& recording, double whole_s, int ranks) {
  const int bins = ranks < many_ranks ? 400 : 200;
  Json list = Json::array();
  if (whole_s > 0)
    for (const LoadCurve& curve : recording.loads)
      if (!curve.points.empty() && curve.points.back().used > 0)
        list.push_back(load_json(curve, whole_s, bins));
  return {{"bins", bins}, {"levels", levels}, {"resources", list}};
}

Json spans_json(const Report& report) {
  constexpr int slots = 800;
  return report.spans.size() <= most_spans ? all_spans(report) : merged_spans(report, slots);
}

Json chunks_json(const Scenario& scenario, const Recording& recording, double whole_s) {
  const ChunkHistory& history = recording.chunks;
  if (!recording.no_chunks.empty()) return {{"none", recording.no_chunks}};
  const Shown shown(history);
  const auto [least, most] = std::ranges::minmax(history.chunk_items);
  return {{"ranks", history.ranks},
          {"chunks", history.chunks},
          {"least_bytes", least},
          {"most_bytes", most},
          {"goal", goal_of(scenario.job, history.ranks)},
          {"holdings", shown.list()},
          {"start", in_runs(history, shown)},
          {"changes", base64(changes(history, shown, whole_s))}};
}

}  // namespace ringscope::lesson
