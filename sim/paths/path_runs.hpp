// SPDX-License-Identifier: LGPL-2.1-or-later
// Sequences of segments, in which what repeats is kept once.
//
// A ring does nearly the same thing in each of its steps, so the chains that it leaves repeat the
// same segments again and again. A run is a sequence of segments, or two runs one after the other;
// equal runs are one. So P chains of S equal steps take memory for P log S runs, and their totals
// stay exact.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/table.hpp"

namespace ringscope::sim {

// Totals of chains by kind and owner of their segments.

/// A segment of a chain without its place in time, or a sum of them; see Paths for `what`.
struct PathTotal {
  static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t what = nothing;
  int rank = -1;
  double seconds = 0;

  std::uint64_t key() const {
    return static_cast<std::uint64_t>(what) << 32 | static_cast<std::uint32_t>(rank);
  }
  bool operator==(const PathTotal&) const = default;
};

/// Sums by key: a hash table with open addresses.
class PathTotals {
 public:
  void add(const PathTotal& one) {
    if (8 * (used_ + 1) > 7 * slots_.size()) grow();
    PathTotal& place = find(one);
    if (place.what == PathTotal::nothing) {
      ++used_;
      place = one;
    } else {
      place.seconds += one.seconds;
    }
  }
  /// Makes room for `size` runs.
  void reserve(std::size_t size);
  std::size_t size() const { return used_; }
  /// All, the largest first; of equals in the order of their keys.
  std::vector<PathTotal> list() const;
  /// All, in an order that what was added gives.
  std::vector<PathTotal> unsorted() const;

 private:
  PathTotal& find(const PathTotal& key) {
    const std::size_t mask = slots_.size() - 1;
    // Fibonacci hashing: the high bits are mixed best.
    std::size_t place = (key.key() * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots_[place].what != PathTotal::nothing && slots_[place].key() != key.key())
      place = (place + 1) & mask;
    return slots_[place];
  }
  void grow() { resize(slots_.empty() ? 8 : 2 * slots_.size()); }
  void resize(std::size_t slots);

  std::vector<PathTotal> slots_;  ///< none, or a power of 2
  std::size_t used_ = 0;
};

/// Runs one after the other, such that two neighbours are never of one height.
using PathSequence = std::vector<int>;

class PathRuns {
 public:
  /// The run of these segments; or one whose durations differ by what rounding at `now` makes of
  /// equal ones.
  int leaf(std::span<const PathTotal> segments, double now = 0);
  int pair(int first, int second);
  void append(PathSequence& sequence, int run);
  /// Adds all segments of the sequence.
  void add_totals(const PathSequence& sequence, PathTotals& totals) const;
  std::size_t bytes() const;
  /// Whether most leaves asked for since the last call were there already.
  bool repeat();
  /// From now on a run is kept as often as it is asked for: where durations hang on chance, to look
  /// for an equal one costs more than to add them up, and finds none.
  void stop_looking() { looks_ = false; }
  bool looks() const { return looks_; }
  /// The runs needed for these sequences, which name them anew.
  PathRuns only(std::span<PathSequence> sequences) const;

 private:
  /// Two runs, or, where `second` is negative, ~second segments from `first` on.
  struct RunNode {
    int first = 0, second = 0;
    int height = 0;
  };
  std::span<const PathTotal> segments(const RunNode& run) const {
    const PathTotal* first = segments_.data() + run.first;
    return {first, first + ~run.second};
  }
  void add_leaf(const RunNode& run, double times, PathTotals& totals) const;
  std::uint64_t hash(const RunNode& run) const;
  bool equal(const RunNode& a, const RunNode& b, double tolerance) const;
  bool is_of(const RunNode& run, std::span<const PathTotal> segments, double tolerance) const;
  int intern(const RunNode& run, double tolerance);
  void grow();

  bool looks_ = true;
  std::vector<PathTotal> segments_;
  Table<RunNode> runs_;
  std::vector<int> table_;  ///< by hash: runs, -1 where none
  // Looked at before the table, which is spread over memory: ranks come in their order, and so do
  // the runs that they repeat.
  Table<int> last_leaves_;             ///< by rank, counted from -1; -1: none
  Table<int> last_pairs_;              ///< by the second run
  std::size_t asked_ = 0, found_ = 0;  ///< leaves
  mutable Table<double> times_;        ///< by add_totals(): by run, 0 in between
};

}  // namespace ringscope::sim
