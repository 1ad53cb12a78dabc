// SPDX-License-Identifier: LGPL-2.1-or-later
// Periods of chains that are skipped: what one of them appended is appended as often as it takes.
#include <algorithm>
#include <cassert>
#include <utility>

#include "base/table.hpp"
#include "sim/paths/path.hpp"

namespace ringscope::sim {

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
    std::reverse(segments_.begin(), segments_.end());
    if (!segments_.empty()) runs_backward.push_back(runs_.leaf(segments_, now));
    segments_.clear();
  };
  for (; !marks.contains(id); id = node(id).parent) {
    assert(id >= 0 && "every chain stands at some mark");
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
  Table<PathCursor> now;
  for (const PathCursor* cursor : cursors) now.push_back(*cursor);
  for (std::size_t i = 0; i < cursors.size(); ++i) {
    if (gained[i].empty()) continue;
    const double until = end(now[i].node_) + later;
    PathCursor chain = now[origins[i]];
    std::reverse(gained[i].begin(), gained[i].end());
    const int id = take();
    node(id) = {until, chain.node_, 1, -1, 0};  // takes over the cursor's reference
    set_runs(id, std::move(gained[i]));
    chain.node_ = id;
    *cursors[i] = std::move(chain);
  }
  fold_at_ = fold_at;
}

}  // namespace ringscope::sim
