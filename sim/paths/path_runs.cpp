// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/paths/path_runs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ringscope::sim {
namespace {

constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;

/// Mantissa bits dropped before hashing, so rounding rarely splits buckets; where it does, that
/// costs memory only.
constexpr int digits_of_rounding = 42;
/// Relative to the time at which the durations ended: some units in the last place.
constexpr double rounding = 4e-15;

/// Rank of the first segment that has one.
int rank_of(std::span<const PathTotal> segments) {
  for (const PathTotal& segment : segments)
    if (segment.rank >= 0) return segment.rank;
  return -1;
}

int& entry(Table<int>& list, int id) {
  if (!list.has(id)) list.resize(std::max<std::ptrdiff_t>(id + 1, 2 * std::ssize(list)), -1);
  return list[id];
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * factor;
  return hash ^ hash >> 29;
}

}  // namespace

void PathTotals::reserve(std::size_t size) {
  const std::size_t slots = std::bit_ceil(size + size / 7 + 8);
  if (slots > slots_.size()) resize(slots);
}

void PathTotals::resize(std::size_t slots) {
  const std::vector<PathTotal> before = std::move(slots_);
  slots_.assign(slots, {});
  for (const PathTotal& one : before)
    if (one.what != PathTotal::nothing) find(one) = one;
}

std::vector<PathTotal> PathTotals::unsorted() const {
  std::vector<PathTotal> all;
  all.reserve(used_);
  for (const PathTotal& one : slots_)
    if (one.what != PathTotal::nothing) all.push_back(one);
  return all;
}

std::vector<PathTotal> PathTotals::list() const {
  std::vector<PathTotal> all = unsorted();
  std::ranges::sort(all, [](const PathTotal& a, const PathTotal& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.key() < b.key();
  });
  return all;
}

std::uint64_t PathRuns::hash(const RunNode& run) const {
  std::uint64_t hash = 0;
  if (run.second >= 0)
    return mixed(mixed(hash, static_cast<std::uint64_t>(run.first)),
                 static_cast<std::uint64_t>(run.second));
  for (const PathTotal& segment : segments(run))
    hash = mixed(hash, segment.key() * factor ^
                           std::bit_cast<std::uint64_t>(segment.seconds) >> digits_of_rounding);
  return hash;
}

bool PathRuns::equal(const RunNode& a, const RunNode& b, double tolerance) const {
  if (a.second >= 0 || b.second != a.second) return a.first == b.first && a.second == b.second;
  return is_of(a, segments(b), tolerance);
}

bool PathRuns::is_of(const RunNode& run, std::span<const PathTotal> others,
                     double tolerance) const {
  if (~run.second != static_cast<int>(others.size())) return false;
  const auto own = segments(run);
  return std::equal(own.begin(), own.end(), others.begin(),
                    [tolerance](const PathTotal& one, const PathTotal& other) {
                      return one.key() == other.key() &&
                             std::abs(one.seconds - other.seconds) <= tolerance;
                    });
}

int PathRuns::intern(const RunNode& run, double tolerance) {
  if (2 * (runs_.size() + 1) > table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t place = (hash(run) >> 20) & mask;
  for (; table_[place] >= 0; place = (place + 1) & mask)
    if (equal(runs_[table_[place]], run, tolerance)) return table_[place];
  table_[place] = static_cast<int>(runs_.size());
  runs_.push_back(run);
  return table_[place];
}

void PathRuns::grow() {
  table_.assign(std::max<std::size_t>(1024, 2 * table_.size()), -1);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t id = 0; id < runs_.size(); ++id) {
    std::size_t place = (hash(runs_[id]) >> 20) & mask;
    while (table_[place] >= 0) place = (place + 1) & mask;
    table_[place] = static_cast<int>(id);
  }
}

int PathRuns::leaf(std::span<const PathTotal> segments, double now) {
  if (!looks_) {
    runs_.push_back({static_cast<int>(segments_.size()), ~static_cast<int>(segments.size()), 0});
    segments_.insert(segments_.end(), segments.begin(), segments.end());
    return static_cast<int>(runs_.size()) - 1;
  }
  ++asked_;
  int& last = entry(last_leaves_, rank_of(segments) + 1);
  if (last >= 0 && is_of(runs_[last], segments, rounding * now)) {
    ++found_;
    return last;
  }
  const std::size_t before = segments_.size(), known = runs_.size();
  segments_.insert(segments_.end(), segments.begin(), segments.end());
  last = intern({static_cast<int>(before), ~static_cast<int>(segments.size()), 0}, rounding * now);
  if (runs_.size() == known) {
    segments_.resize(before);
    ++found_;
  }
  return last;
}

int PathRuns::pair(int first, int second) {
  int& last = entry(last_pairs_, second);
  if (last >= 0 && runs_[last].first == first) return last;
  const auto height = [this](int id) { return runs_[id].height; };
  return last = intern({first, second, 1 + std::max(height(first), height(second))}, 0);
}

// As in a binary number: two of one height become one of the next.
void PathRuns::append(PathSequence& sequence, int run) {
  const auto height = [this](int id) { return runs_[id].height; };
  while (looks_ && !sequence.empty() && height(sequence.back()) == height(run)) {
    run = pair(sequence.back(), run);
    sequence.pop_back();
  }
  sequence.push_back(run);
}

void PathRuns::add_leaf(const RunNode& run, double times, PathTotals& totals) const {
  for (const PathTotal& segment : segments(run))
    totals.add({segment.what, segment.rank, times * segment.seconds});
}

// A run is younger than those that it is made of, so the youngest of those met so far is met no
// more: a sequence costs what it is made of, however many runs others have.
void PathRuns::add_totals(const PathSequence& sequence, PathTotals& totals) const {
  times_.resize(runs_.size(), 0);
  std::vector<int> met;  // a heap, the youngest first
  const auto meet = [&](int id, double times) {
    double& known = times_[id];
    if (std::exchange(known, known + times) > 0) return;
    met.push_back(id);
    std::push_heap(met.begin(), met.end());
  };
  for (const int id : sequence) {
    const RunNode& run = runs_[id];
    if (run.second < 0) totals.reserve(segments(run).size());  // totals that have been added up
    if (!looks_ && run.second < 0)
      add_leaf(run, 1, totals);
    else
      meet(id, 1);
  }
  while (!met.empty()) {
    std::pop_heap(met.begin(), met.end());
    const int id = met.back();
    met.pop_back();
    const double times = std::exchange(times_[id], 0);
    const RunNode& run = runs_[id];
    if (run.second >= 0) {
      meet(run.first, times);
      meet(run.second, times);
      continue;
    }
    add_leaf(run, times, totals);
  }
}

bool PathRuns::repeat() {
  const std::size_t asked = std::exchange(asked_, 0), found = std::exchange(found_, 0);
  return 2 * found >= asked;
}

std::size_t PathRuns::bytes() const {
  return segments_.size() * sizeof(PathTotal) + runs_.size() * sizeof(RunNode) +
         (table_.size() + last_leaves_.size() + last_pairs_.size()) * sizeof(int);
}

PathRuns PathRuns::only(std::span<PathSequence> sequences) const {
  Table<int> names(runs_.size(), -1);
  for (const PathSequence& sequence : sequences)
    for (const int run : sequence) names[run] = 0;
  for (std::size_t id = runs_.size(); id-- > 0;) {
    if (names[id] < 0 || runs_[id].second < 0) continue;
    names[runs_[id].first] = 0;
    names[runs_[id].second] = 0;
  }
  PathRuns needed;
  for (std::size_t id = 0; id < runs_.size(); ++id) {
    if (names[id] < 0) continue;
    const RunNode& run = runs_[id];
    names[id] = run.second < 0 ? needed.leaf(segments(run))
                               : needed.pair(names[run.first], names[run.second]);
  }
  for (PathSequence& sequence : sequences)
    for (int& run : sequence) run = names[run];
  needed.asked_ = needed.found_ = 0;
  return needed;
}

}  // namespace ringscope::sim
