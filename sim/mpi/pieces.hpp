// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages whose bytes go ahead of a handshake in pieces: copied, sent and copied at once.
//
// Invariant: of m bytes in pieces of p, which take a s/B to copy, b to send and c to copy again,
// the wire begins when the first piece is copied, and its last piece goes when all are; the
// receiver copies what has come while its engine has nothing else to do, but for the last piece.
// Alone they take p (a + b + c) + (m - p) max(a, b, c).
#pragma once

namespace ringscope::sim {

struct PiecedMessage {
  bool copying = false;    ///< its sender still copies
  bool completes = false;  ///< its send does when that is over
  bool waits = false;      ///< all but its last piece have gone
  bool came = false;       ///< its first piece has
  double spare = 0;        ///< s, what the receiver's engine had to spare by then
};

}  // namespace ringscope::sim
