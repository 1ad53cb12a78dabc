// SPDX-License-Identifier: LGPL-2.1-or-later
// The chunk matrix and how it changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "algorithms/collectives.hpp"
#include "base/table.hpp"
#include "cli/lesson/lesson_case.hpp"
#include "scenarios/answer/recording.hpp"

namespace ringscope::lesson {
namespace {

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
