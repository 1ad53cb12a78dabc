// SPDX-License-Identifier: LGPL-2.1-or-later
// Critical paths, built forward while the simulation runs.
//
// Every rank and every message in flight holds a cursor: the end of a chain of segments that covers
// the whole time from the start to now, without gaps. A segment is appended when time passes for
// its holder; when somebody else's event is what let the holder go on, the holder takes over that
// chain. So the chain of the last rank to finish is the critical path, and its segments add up to
// the time of the run.
//
// References are counted: a chain that nobody holds is gone. When many are left, those between two
// points that somebody still needs become one node of runs (path_runs.hpp), so that memory is
// bounded by the number of cursors, however long the simulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/pool.hpp"
#include "base/table.hpp"
#include "scenarios/answer/report.hpp"
#include "sim/paths/path_runs.hpp"

namespace ringscope::sim {

// An array for millions of small items.

/// Items side by side, as in a vector. It grows by realloc, which moves a large array by its page
/// tables: nothing is copied, and what was there does not take its memory twice meanwhile.
template <class Item>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<Item> && std::is_aggregate_v<Item>);

 public:
  std::size_t size() const { return size_; }
  Item& operator[](Index auto index) { return items_.get()[index]; }
  const Item& operator[](Index auto index) const { return items_.get()[index]; }
  const Item* begin() const { return items_.get(); }
  const Item* end() const { return items_.get() + size_; }
  void push_back(const Item& item) {
    if (size_ == capacity_) grow();
    items_.get()[size_++] = item;
  }

 private:
  struct Free {
    void operator()(Item* items) const { std::free(items); }
  };

  void grow() {
    constexpr std::size_t least = 64;
    const std::size_t more = std::max(least, 2 * capacity_);
    void* moved = std::realloc(items_.get(), more * sizeof(Item));
    if (moved == nullptr) throw std::bad_alloc();
    (void)items_.release();  // realloc has freed it
    items_.reset(static_cast<Item*>(moved));
    capacity_ = more;
  }

  std::unique_ptr<Item, Free> items_;
  std::size_t size_ = 0, capacity_ = 0;
};

class Paths;

/// Holds the end of a chain. The default cursor covers nothing: it stands at the start. No cursor
/// may outlive its Paths.
class PathCursor {
 public:
  PathCursor() = default;
  PathCursor(const PathCursor& other) noexcept;
  PathCursor(PathCursor&& other) noexcept;
  PathCursor& operator=(const PathCursor& other) noexcept;
  PathCursor& operator=(PathCursor&& other) noexcept;
  ~PathCursor();
  bool operator==(const PathCursor&) const = default;

 private:
  friend class Paths;
  Paths* paths_ = nullptr;
  int node_ = -1;
};

class Paths {
 public:
  /// With `limit` 0 nothing is kept. Beyond `limit` segments old ones become runs. What does not
  /// repeat takes up to `most_bytes`, and some for each cursor; then runs become totals, and where
  /// these take as much, each chain keeps its largest and adds up the others by cause alone.
  explicit Paths(std::size_t limit, std::size_t most_bytes = std::size_t{16} << 20)
      : limit_(limit),
        most_bytes_(most_bytes),
        fold_at_(limit),
        clean_at_(std::min(most_bytes, least_bytes)) {}

  /// Start of all chains. Cursors from before cover what nobody asks for.
  void restart(double now);
  /// One segment more, up to `until`; nothing when no time has passed.
  void extend(PathCursor& path, Cause cause, int rank, int resource, double until);

  struct Segment {
    Cause cause{};
    int rank = -1;
    int resource = -1;  ///< of the ledger; -1: none
    double seconds = 0;
  };
  /// The chain's segments merged by (cause, rank, resource), longest first.
  std::vector<Segment> merged(const PathCursor& cursor) const;
  /// The same of the segments since the chain stood where one of these does, and its index. Where
  /// it stood at none, -1 and no segment.
  struct Gained {
    int from = -1;
    std::vector<Segment> segments;
  };
  Gained since(const PathCursor& cursor, std::span<const PathCursor> places) const;
  /// Some totals were added up by cause alone, since the last restart().
  bool reduced() const { return reduced_; }

  /// The segments in their order, from `begin` on; of what was before it only totals are known.
  struct Chain {
    double begin = 0;  ///< s, as the kernel counts: the start, or later
    std::vector<Segment> segments;
    struct Mark {
      Cause cause{};
      int rank = -1;
      double since = 0, until = 0;  ///< likewise
    };
    std::vector<Mark> marks;
  };
  Chain chain(const PathCursor& cursor) const;
  /// The owner of a chain taken over had been waited for since then; for chain() alone.
  void mark(PathCursor& path, Cause cause, int rank, double since);

  /// Marks, for skipping periods, where these cursors stand. The marks must live until repeat().
  std::vector<PathCursor> snapshot(std::span<PathCursor* const> cursors);
  /// Appends to each cursor its segments since the marks `times` times more, each `period` seconds
  /// later. Exact, and takes log(times) steps.
  void repeat(std::span<const PathCursor> marks, std::span<PathCursor* const> cursors,
              double period, std::uint64_t times);
  /// Number of nodes, of segments or of runs.
  std::size_t nodes() const { return live_; }
  /// Nodes alone take what runs may.
  bool are_many() const { return live_ > std::max(limit_, most_bytes_ / sizeof(Node)); }
  std::size_t bytes_of_runs() const { return runs_.bytes(); }

 private:
  friend class PathCursor;
  /// Kind of a segment: the cause in the low bits, above it the resource, counted from 1.
  using What = std::uint32_t;
  static constexpr int cause_bits = 5;
  static constexpr What runs = PathTotal::nothing;
  /// Size of the runs before anybody asks whether they repeat.
  static constexpr std::size_t least_bytes = std::size_t{8} << 20;
  static What what_of(Cause cause, int resource) {
    return static_cast<What>(resource + 1) << cause_bits | static_cast<What>(cause);
  }
  static Segment segment_of(const PathTotal& total);

  struct Node {
    double end = 0;
    int parent = -1;  ///< of a free node: the next free one
    int refs = 0;     ///< cursors and children; 0: the node is free
    int rank = -1;    ///< of a node of runs: the index of their sequence
    What what = 0;    ///< or `runs`
  };

  Node& node(int id) { return nodes_[id]; }
  const Node& node(int id) const { return nodes_[id]; }
  double end(int id) const { return id < 0 ? start_ : node(id).end; }
  int take();
  void free(int id);
  void retain(int id) { ++node(id).refs; }
  void release(int id) {
    while (id >= 0 && --node(id).refs == 0) {
      const int parent = node(id).parent;
      free(id);
      id = parent;
    }
  }

  void fold();
  void fold_above(int kept);
  std::size_t youngest_ended(const Node& kept) const;
  PathSequence runs_from(std::size_t last);
  bool is_kept(int id) const { return id < 0 || node(id).refs > 1 || has_child_[id] == 0; }
  void collect_free();
  void set_runs(int id, PathSequence runs);
  PathSequence take_runs(int id);
  void bound_memory();
  void add_node(int id, PathTotals& all) const;
  static std::vector<Segment> longest_first(const PathTotals& all);
  struct Gain;
  Gain since_mark(int id, const std::unordered_map<int, int>& marks);
  void append_runs(std::span<PathCursor* const> cursors, std::span<const int> origins,
                   std::vector<PathSequence> gained, double later);
  void flatten();
  static std::vector<PathTotal> reduced(std::vector<PathTotal> totals);

  std::size_t limit_, most_bytes_, fold_at_;
  bool reduced_ = false;
  double start_ = std::numeric_limits<double>::infinity();
  GrowingArray<Node> nodes_;
  int free_ = -1;
  std::size_t live_ = 0;
  PathRuns runs_;
  Pool<PathSequence> sequences_;   ///< of nodes of runs; empty ones are free
  std::size_t clean_at_;           ///< bytes of runs_
  Table<double> marks_;            ///< since when; a segment without length names its mark
  Table<std::uint8_t> has_child_;  ///< by fold(), as the next two
  std::vector<int> above_;
  std::vector<PathTotal> segments_;
};

inline PathCursor::PathCursor(const PathCursor& other) noexcept
    : paths_(other.paths_), node_(other.node_) {
  if (node_ >= 0) paths_->retain(node_);
}

inline PathCursor::PathCursor(PathCursor&& other) noexcept
    : paths_(other.paths_), node_(other.node_) {
  other.node_ = -1;
}

inline PathCursor& PathCursor::operator=(const PathCursor& other) noexcept {
  const int before = node_;
  if (other.node_ >= 0) other.paths_->retain(other.node_);
  node_ = other.node_;
  if (before >= 0) paths_->release(before);
  paths_ = other.paths_;
  return *this;
}

inline PathCursor& PathCursor::operator=(PathCursor&& other) noexcept {
  if (this == &other) return *this;
  if (node_ >= 0) paths_->release(node_);
  paths_ = other.paths_;
  node_ = other.node_;
  other.node_ = -1;
  return *this;
}

inline PathCursor::~PathCursor() {
  if (node_ >= 0) paths_->release(node_);
}

inline void Paths::extend(PathCursor& path, Cause cause, int rank, int resource, double until) {
  // With nothing kept the start is never reached.
  if (until <= end(path.node_)) return;
  const What what = what_of(cause, resource);
  if (path.node_ >= 0) {
    Node& last = node(path.node_);
    if (last.refs == 1 && last.what == what && last.rank == rank) {
      last.end = until;
      return;
    }
  }
  const int id = take();
  node(id) = {until, path.node_, 1, rank, what};  // takes over the cursor's reference
  path.paths_ = this;
  path.node_ = id;
}

inline int Paths::take() {
  if (live_ >= fold_at_) fold();
  ++live_;
  if (free_ < 0) {
    nodes_.push_back({});
    return static_cast<int>(nodes_.size()) - 1;
  }
  const int id = free_;
  free_ = node(id).parent;
  return id;
}

inline void Paths::free(int id) {
  if (node(id).what == runs) take_runs(id);
  node(id).parent = free_;
  free_ = id;
  --live_;
}

}  // namespace ringscope::sim
