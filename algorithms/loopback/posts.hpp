// SPDX-License-Identifier: LGPL-2.1-or-later
// The posts that a blocking verb is made of, for executors that have only these.
#pragma once

#include "algorithms/verbs/communicator.hpp"

namespace ringscope {

/// The send inside a send or sendrecv.
inline Operation isend_of(const Operation& whole) {
  return {.verb = Verb::isend, .range = whole.range, .peer = whole.peer, .tag = whole.tag};
}

/// The receive inside a recv or sendrecv.
inline Operation irecv_of(const Operation& whole) {
  const bool both = whole.verb == Verb::sendrecv;
  return {.verb = Verb::irecv,
          .range = both ? whole.other : whole.range,
          .peer = both ? whole.other_peer : whole.peer,
          .tag = whole.tag};
}

}  // namespace ringscope
