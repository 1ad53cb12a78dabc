// SPDX-License-Identifier: LGPL-2.1-or-later
// Contributions that each rank holds to each part of the vector while an algorithm runs.
//
// Both buffers of a rank are cut into pieces, each of one origin and one set of contributions: the
// ranks whose items are summed in it. A piece in scratch space remembers for which part of the
// vector it is. A message or a copy carries the state of its range when it was sent, and a
// reduction joins the sets.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "algorithms/collectives.hpp"
#include "base/table.hpp"
#include "scenarios/answer/recording.hpp"

namespace ringscope::sim {

/// Sets of ranks by number, each kept once. Number 0 is the empty set.
class RankSets {
 public:
  explicit RankSets(int ranks);
  RankSets& operator=(RankSets&&) = delete;  ///< neither copied nor moved
  int of(int rank);
  int joined(int a, int b);
  bool contains(int whole, int part) { return joined(whole, part) == whole; }
  int size(int set) const { return sizes_[set]; }
  std::vector<int> ranks(int set) const;

 private:
  struct ByBits {  ///< hash and equality
    const RankSets* sets;
    std::size_t operator()(int set) const;
    bool operator()(int a, int b) const {
      return std::equal(sets->first(a), sets->first(a) + sets->words_, sets->first(b));
    }
  };
  /// Number of the set at the end of `bits_`, which is taken off there if it is known.
  int keep_last();
  const std::uint64_t* first(int set) const { return bits_.data() + set * words_; }

  int words_;                  ///< of a set
  Table<std::uint64_t> bits_;  ///< of set after set
  Table<int> sizes_;
  std::unordered_set<int, ByBits, ByBits> known_;
};

/// Reason why the chunks of this collective cannot be followed; "" where they can.
std::string no_chunks_of(const Collective& collective, int ranks);

class ChunkStates {
 public:
  /// Requires no_chunks_of(...) == "". Times are counted from `start`.
  ChunkStates(const Collective& collective, int ranks, std::size_t items, int root, double start);

  /// Contents of `range` of a rank; to be put elsewhere later.
  struct Content {
    std::size_t size = 0;
    std::int64_t origin = 0;  ///< of its first item, in the vector
    int set = 0;
  };
  using Contents = std::vector<Content>;  ///< side by side

  /// Replaces `kept` by what the range holds.
  void keep(Contents& kept, int rank, const Range& range) const;
  /// Calls `see(content)` for each of them in turn.
  template <class See>
  void each_content(int rank, const Range& range, See see) const;
  void put(int rank, const Range& range, const Contents& contents, double now);
  void copy(int rank, const Range& into, const Range& from, double now);
  /// Adds what `from` holds.
  void reduce(int rank, const Range& into, const Range& from, double now);

  ChunkHistory take();

 private:
  struct Interval {
    std::size_t begin = 0, end = 0;
    std::int64_t shift = 0;  ///< offset in the buffer + shift: offset in the vector
    int set = 0;
  };
  /// In order. Gaps between them hold nothing.
  using Intervals = std::vector<Interval>;
  struct State {
    double items = 0, contributions = 0;  ///< sums over the items of a chunk
    int set = 0, waiting = 0;
    bool operator==(const State&) const = default;
  };
  struct StateHash {
    std::size_t operator()(const State& state) const;
  };
  using ChunkNumbers = std::vector<int>;  ///< sorted, each once

  /// The first that ends behind `at`.
  static auto first_at(auto& intervals, std::size_t at);
  static Intervals::iterator split(Intervals& intervals, std::size_t at);
  static void replace(Intervals& intervals, const Interval& piece);
  /// Adds the chunks of a part of the vector to `touched_`.
  void touch(std::int64_t begin, std::size_t size);
  int chunk_at(std::size_t offset) const;
  State state(int rank, int chunk);
  std::uint32_t holding(const State& state);
  void changed(int rank, double now);  ///< those of `touched_`

  RankSets sets_;
  Chunks chunks_;
  std::size_t items_;
  double start_;
  bool tells_who_;                      ///< and what waits
  Table<Array<Intervals, 2>> buffers_;  ///< by rank: data, scratch
  std::unordered_map<State, std::uint32_t, StateHash> known_;
  Table<std::uint32_t> now_;        ///< of rank r and chunk c at [r * chunks + c]
  Table<std::size_t> last_change_;  ///< in the same order; 0: none yet, else its index + 1
  ChunkHistory history_;
  // Working memory of one call, kept to save allocations.
  ChunkNumbers touched_;
  Contents old_, added_, sums_;
};

}  // namespace ringscope::sim
