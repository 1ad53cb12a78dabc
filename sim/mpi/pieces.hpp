// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages whose bytes go ahead of a handshake in pieces: copied, sent and copied at once.
//
// Invariant: of m bytes in pieces of p, which take a s/B to copy, b to send and c to copy again,
// the wire begins when the first piece is copied, and its last piece goes when all are; the
// receiver copies what has come while its engine has nothing else to do, but for the last piece.
// Alone they take p (a + b + c) + (m - p) max(a, b, c).
#pragma once

#include <cstddef>
#include <vector>

namespace ringscope::sim {

class Pieces {
 public:
  struct Way {
    bool on = false;         ///< the message goes in pieces
    bool copying = false;    ///< its sender still copies
    bool completes = false;  ///< its send does when that is over
    bool waits = false;      ///< all but its last piece have gone
    bool came = false;       ///< its first piece has
    double spare = 0;        ///< s, what the receiver's engine had to spare by then
  };

  /// Way of the message in that slot, as long as it is under way.
  Way& operator[](int message) {
    const auto index = static_cast<std::size_t>(message);
    if (index >= ways_.size()) ways_.resize(index + 1);
    return ways_[index];
  }
  /// Whether the message goes in pieces; no other has been asked for its way.
  bool on(int message) const {
    const auto index = static_cast<std::size_t>(message);
    return index < ways_.size() && ways_[index].on;
  }

 private:
  std::vector<Way> ways_;
};

}  // namespace ringscope::sim
