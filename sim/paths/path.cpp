// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/paths/path.hpp"

#include <cmath>

namespace ringscope::sim {
namespace {

constexpr std::size_t bytes_for_each = 1024;  ///< node that is left
constexpr std::size_t most_totals = 32;       ///< of a chain that flatten() leaves as they are
constexpr std::size_t longest_leaf = 16;

/// True where the chain comes to another rank: the end of a run must not depend on the fold.
bool begins_run(const PathTotal& segment, int rank) {
  return segment.rank >= 0 && rank >= 0 && segment.rank != rank;
}

}  // namespace

void Paths::restart(double now) {
  start_ = limit_ > 0 ? now : std::numeric_limits<double>::infinity();
  reduced_ = false;
  marks_.clear();
}

Paths::Segment Paths::segment_of(const PathTotal& total) {
  constexpr What causes = (What{1} << cause_bits) - 1;
  return {Cause(total.what & causes), total.rank, static_cast<int>(total.what >> cause_bits) - 1,
          total.seconds};
}

// Keep nodes with a cursor or several children; each other one has a single child.
void Paths::fold() {
  has_child_.assign(nodes_.size(), 0);
  for (const Node& one : nodes_)
    if (one.refs > 0 && one.parent >= 0) has_child_[one.parent] = 1;
  const int size = static_cast<int>(nodes_.size());
  for (int id = 0; id < size; ++id)
    if (node(id).refs > 0 && is_kept(id)) fold_above(id);
  collect_free();
  bound_memory();
  // A fold walks over all nodes there are: it waits until most of them are in use.
  fold_at_ = std::max({limit_, 2 * live_, nodes_.size() - nodes_.size() / 8});
}

// The youngest of the nodes above the kept one whose run has ended.
std::size_t Paths::youngest_ended(const Node& kept) const {
  int rank = kept.what == runs ? -1 : kept.rank;
  std::size_t begun = 0;  // the node after which the run of that rank begins
  for (std::size_t i = 0; i < above_.size(); ++i) {
    const Node& one = node(above_[i]);
    if (one.what == runs || i >= longest_leaf) return i;
    if (begins_run({one.what, one.rank, 0}, rank)) return begun;
    if (one.rank < 0) continue;
    rank = one.rank;
    begun = i + 1;
  }
  return above_.size();
}

// The nodes above the kept one, up to the next kept one towards the start, become one of runs. The
// last segments stay until it is known where their run ends.
void Paths::fold_above(int kept) {
  above_.clear();
  int id = node(kept).parent;
  for (; !is_kept(id); id = node(id).parent) above_.push_back(id);
  const std::size_t last = youngest_ended(node(kept));
  if (last >= above_.size()) return;
  const int ended = above_[last];
  if (last + 1 == above_.size() && node(ended).what == runs) return;
  PathSequence sequence = runs_from(last);
  for (std::size_t i = last + 1; i < above_.size(); ++i) node(above_[i]).refs = 0;
  node(ended).parent = id;  // parent of the last of them
  set_runs(ended, std::move(sequence));
}

PathSequence Paths::runs_from(std::size_t last) {
  PathSequence sequence;
  int rank = -1;
  double now = 0, before = end(node(above_.back()).parent);
  const auto end_run = [&] {
    if (!segments_.empty()) runs_.append(sequence, runs_.leaf(segments_, now));
    segments_.clear();
    rank = -1;
  };
  for (std::size_t i = above_.size(); i-- > last;) {
    const Node& one = node(above_[i]);
    if (one.what == runs) {
      end_run();
      before = one.end;
      PathSequence more = take_runs(above_[i]);
      if (sequence.empty()) sequence.swap(more);
      for (const int run : more) runs_.append(sequence, run);
      continue;
    }
    const PathTotal segment{one.what, one.rank, one.end - before};
    before = one.end;
    if (begins_run(segment, rank) || segments_.size() == longest_leaf) end_run();
    now = one.end;
    segments_.push_back(segment);
    if (one.rank >= 0) rank = one.rank;
  }
  end_run();
  return sequence;
}

// Collects free nodes in their order in memory: those taken next lie side by side.
void Paths::collect_free() {
  free_ = -1;
  live_ = 0;
  for (auto id = static_cast<int>(nodes_.size()); id-- > 0;) {
    if (node(id).refs > 0) {
      ++live_;
      continue;
    }
    node(id).parent = free_;
    free_ = id;
  }
}

void Paths::set_runs(int id, PathSequence sequence) {
  const int place = sequences_.take();
  sequences_[place] = std::move(sequence);
  node(id).what = runs;
  node(id).rank = place;
}

PathSequence Paths::take_runs(int id) {
  const int place = node(id).rank;
  sequences_.release(place);
  return std::exchange(sequences_[place], {});
}

// Runs that do not repeat, as where messages take random times, are worth no memory: they become
// totals early, while all of them are in the caches.
void Paths::bound_memory() {
  if (runs_.bytes() <= clean_at_) return;
  if (!runs_.looks() || !runs_.repeat()) {
    flatten();
    runs_.stop_looking();
    clean_at_ = std::max(std::min(most_bytes_, least_bytes), 2 * runs_.bytes());
    return;
  }
  const std::size_t most = most_bytes_ + bytes_for_each * live_;
  if (runs_.bytes() > most_bytes_) runs_ = runs_.only(sequences_);
  if (runs_.bytes() > most) flatten();
  clean_at_ = std::max(most, 2 * runs_.bytes());
}

// Each sequence becomes one run of its totals.
void Paths::flatten() {
  std::vector<std::vector<PathTotal>> all;
  std::size_t totals = 0;
  for (const PathSequence& sequence : sequences_) {
    PathTotals sums;
    runs_.add_totals(sequence, sums);
    all.push_back(sums.unsorted());
    totals += sums.size();
  }
  const bool too_many = totals * sizeof(PathTotal) > most_bytes_;
  reduced_ = reduced_ || too_many;
  runs_ = {};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (too_many) all[i] = reduced(all[i]);
    if (!all[i].empty()) sequences_[i] = {runs_.leaf(all[i])};
  }
}

// The largest totals as they are, the others by cause alone.
std::vector<PathTotal> Paths::reduced(std::vector<PathTotal> totals) {
  if (totals.size() <= most_totals) return totals;
  const auto larger = [](const PathTotal& a, const PathTotal& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.key() < b.key();
  };
  const auto rest = totals.begin() + static_cast<std::ptrdiff_t>(most_totals);
  std::ranges::sort(totals, larger);
  PathTotals sums;
  for (auto total = totals.begin(); total != totals.end(); ++total)
    sums.add(total < rest ? *total
                          : PathTotal{what_of(segment_of(*total).cause, -1), -1, total->seconds});
  return sums.unsorted();
}

void Paths::add_node(int id, PathTotals& all) const {
  const Node& one = node(id);
  if (one.what == runs)
    runs_.add_totals(sequences_[one.rank], all);
  else
    all.add({one.what, one.rank, one.end - end(one.parent)});
}

std::vector<Paths::Segment> Paths::merged(const PathCursor& cursor) const {
  PathTotals all;
  for (int id = cursor.node_; id >= 0; id = node(id).parent) add_node(id, all);
  return longest_first(all);
}

Paths::Gained Paths::since(const PathCursor& cursor, std::span<const PathCursor> places) const {
  PathTotals all;
  for (int id = cursor.node_; id >= 0; id = node(id).parent) {
    const auto place = std::ranges::find(places, id, &PathCursor::node_);
    if (place != places.end())
      return {static_cast<int>(place - places.begin()), longest_first(all)};
    add_node(id, all);
  }
  return {};
}

std::vector<Paths::Segment> Paths::longest_first(const PathTotals& all) {
  std::vector<Segment> segments;
  for (const PathTotal& total : all.list())
    if (total.seconds > 0) segments.push_back(segment_of(total));
  if (segments.empty()) return segments;
  // Sums of equal durations differ in their last digits, by the order in which they were added.
  constexpr double digits = 1e9;
  const double unit = segments.front().seconds / digits;
  std::ranges::sort(segments, [unit](const Segment& a, const Segment& b) {
    const double a_units = std::round(a.seconds / unit), b_units = std::round(b.seconds / unit);
    if (a_units != b_units) return a_units > b_units;
    return std::tie(a.cause, a.rank, a.resource) < std::tie(b.cause, b.rank, b.resource);
  });
  return segments;
}

void Paths::mark(PathCursor& path, Cause cause, int rank, double since) {
  if (path.node_ < 0) return;
  const int id = take();
  node(id) = {end(path.node_), path.node_, 1, rank,
              what_of(cause, static_cast<int>(marks_.size()))};
  path.node_ = id;
  marks_.push_back(since);
}

Paths::Chain Paths::chain(const PathCursor& cursor) const {
  Chain chain;
  int id = cursor.node_;
  for (; id >= 0 && node(id).what != runs; id = node(id).parent) {
    const Node& one = node(id);
    const Segment segment = segment_of({one.what, one.rank, one.end - end(one.parent)});
    if (segment.seconds > 0)
      chain.segments.push_back(segment);
    else if (segment.resource >= 0)
      chain.marks.push_back({segment.cause, segment.rank, marks_[segment.resource], one.end});
  }
  chain.begin = end(id);
  std::ranges::reverse(chain.segments);
  std::ranges::reverse(chain.marks);
  return chain;
}

// Periods of chains that are skipped: what one of them appended is appended as often as it takes.

/// Gain of a chain since the marks: a run, -1 for none, and the mark from which it started: that of
/// another cursor where the chain was taken over from it.
struct Paths::Gain {
  int run = -1;
  int origin = -1;
};

std::vector<PathCursor> Paths::snapshot(std::span<PathCursor* const> cursors) {
  std::vector<PathCursor> marks;
  marks.reserve(cursors.size());
  if (limit_ == 0) return marks;
  for (PathCursor* cursor : cursors) {
    // Also where two stand at one node: each has a mark of its own.
    const int id = take();
    node(id) = {end(cursor->node_), cursor->node_, 1, -1, what_of(Cause::sleep, -1)};
    cursor->paths_ = this;
    cursor->node_ = id;
    marks.push_back(*cursor);
  }
  return marks;
}

Paths::Gain Paths::since_mark(int id, const std::unordered_map<int, int>& marks) {
  PathSequence runs_backward;
  segments_.clear();
  double now = end(id);
  const auto end_leaf = [&] {
    std::ranges::reverse(segments_);
    if (!segments_.empty()) runs_backward.push_back(runs_.leaf(segments_, now));
    segments_.clear();
  };
  for (; !marks.contains(id); id = node(id).parent) {
    assert(id >= 0 && "every chain ends at some mark");
    const Node& one = node(id);
    if (one.what == runs) {
      end_leaf();
      const PathSequence& more = sequences_[one.rank];
      runs_backward.insert(runs_backward.end(), more.rbegin(), more.rend());
    } else if (one.end > end(one.parent)) {
      segments_.push_back({one.what, one.rank, one.end - end(one.parent)});
    }
  }
  end_leaf();
  Gain gain{-1, marks.at(id)};
  for (auto run = runs_backward.rbegin(); run != runs_backward.rend(); ++run)
    gain.run = gain.run < 0 ? *run : runs_.pair(gain.run, *run);
  return gain;
}

// After k more periods the chain of cursor i is that which now belongs to the k-th origin of i, and
// then the gains of the origins up to that of i itself. Powers of two of the step from a cursor to
// its origin make that log k runs.
void Paths::repeat(std::span<const PathCursor> marks, std::span<PathCursor* const> cursors,
                   double period, std::uint64_t times) {
  if (limit_ == 0 || times == 0) return;
  std::unordered_map<int, int> by_node;
  for (std::size_t i = 0; i < marks.size(); ++i)
    by_node.emplace(marks[i].node_, static_cast<int>(i));
  Table<Gain> steps;
  for (const PathCursor* cursor : cursors) steps.push_back(since_mark(cursor->node_, by_node));
  std::vector<PathSequence> gained(cursors.size());  // the youngest first
  std::vector<int> origins(cursors.size());
  for (std::size_t i = 0; i < origins.size(); ++i) origins[i] = static_cast<int>(i);
  for (std::uint64_t left = times; left > 0; left /= 2) {
    for (std::size_t i = 0; left % 2 == 1 && i < cursors.size(); ++i) {
      const Gain& step = steps[origins[i]];
      if (step.run >= 0) gained[i].push_back(step.run);
      origins[i] = step.origin;
    }
    std::vector<Gain> twice;
    for (const Gain& step : steps) {
      const Gain& before = steps[step.origin];
      const int run = before.run < 0 ? step.run
                      : step.run < 0 ? before.run
                                     : runs_.pair(before.run, step.run);
      twice.push_back({run, before.origin});
    }
    steps = std::move(twice);
  }
  append_runs(cursors, origins, std::move(gained), period * static_cast<double>(times));
}

// Appends to each cursor, behind the chain that now belongs to its origin.
void Paths::append_runs(std::span<PathCursor* const> cursors, std::span<const int> origins,
                        std::vector<PathSequence> gained, double later) {
  // A fold may give runs other names.
  const std::size_t fold_at = std::exchange(fold_at_, std::numeric_limits<std::size_t>::max());
  const Table<PathCursor> now = each_of(cursors, [](const PathCursor* cursor) { return *cursor; });
  for (std::size_t i = 0; i < cursors.size(); ++i) {
    if (gained[i].empty()) continue;
    const double until = end(now[i].node_) + later;
    PathCursor chain = now[origins[i]];
    std::ranges::reverse(gained[i]);
    const int id = take();
    node(id) = {until, chain.node_, 1, -1, 0};  // takes over the cursor's reference
    set_runs(id, std::move(gained[i]));
    chain.node_ = id;
    *cursors[i] = std::move(chain);
  }
  fold_at_ = fold_at;
}

}  // namespace ringscope::sim
