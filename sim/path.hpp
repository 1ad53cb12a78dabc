// Critical paths, built forward while the simulation runs.
//
// Every rank and every message in flight holds a cursor: the end of a chain of pieces that covers
// the whole time from the start to now, without gaps. A piece is appended when time passes for its
// holder; when somebody else's event is what let the holder go on, the holder takes over that
// chain. So the chain of the last rank to finish is the critical path, and its pieces add up to the
// time of the run.
#pragma once

#include <vector>

#include "scenarios/report.hpp"

namespace ringscope::sim {

/// Names a node of Paths; cheap to copy. The default cursor covers nothing: it stands at the start.
struct PathCursor {
  int node = -1;
};

class Paths {
 public:
  /// With `limit` 0 nothing is kept. Beyond `limit` pieces recording ends until restart(), nothing
  /// is kept either, and complete() is false.
  explicit Paths(std::size_t limit) : limit_(limit) {}

  bool complete() const { return complete_; }
  /// Where the start of all chains is: called when nothing holds a cursor.
  void restart(double now);
  /// The chain and one piece more, up to `until`; the same cursor when no time has passed.
  PathCursor extend(PathCursor from, Cause cause, int rank, int resource, double until);

  struct Piece {
    Cause cause{};
    int rank = -1;
    int resource = -1;  ///< of the ledger; -1: none
    double seconds = 0;
  };
  /// The chain's pieces merged by (cause, rank, resource), longest first.
  std::vector<Piece> merged(PathCursor cursor) const;

 private:
  double end(PathCursor cursor) const;

  struct Node {
    double end = 0;
    int parent = -1;
    int rank = -1;
    int resource = -1;
    Cause cause{};
  };
  std::size_t limit_;
  bool complete_ = true;
  double start_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace ringscope::sim
