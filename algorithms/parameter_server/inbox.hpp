// SPDX-License-Identifier: LGPL-2.1-or-later
// The pushes that a server receives: a receive is posted for each worker, so that pushes of several
// workers arrive at once, each piece into the slot of its worker.
#pragma once

#include <vector>

#include "algorithms/parameter_server/in_flight.hpp"
#include "algorithms/parameter_server/roles.hpp"
#include "base/table.hpp"

namespace ringscope {

/// A piece of a worker's push that has arrived.
struct Pushed {
  int worker = 0;
  Range weights;  ///< to which it is to be added
  Range slot;     ///< its place, until the worker's next piece is expected
  bool last = false;
};

class Inbox {
 public:
  /// `slots`: slot_items() items for each worker.
  Inbox(Communicator comm, Range shard, Range slots, int workers, std::size_t segment)
      : comm_(comm), shard_(shard), slots_(slots), segment_(segment), arrived_(workers) {}

  static std::size_t slot_items(std::size_t shard_items, std::size_t segment) {
    return std::min(shard_items, segment);
  }

  /// Posts the receive for the worker's next piece: after the last one, for the first of its next
  /// push. An empty shard has none.
  void expect(int worker) {
    if (shard_.size > 0) in_flight_.add(comm_.irecv(next(worker).slot, worker), worker);
  }
  bool expects() const { return !in_flight_.empty(); }
  /// Requests for wait_any, which yields the index of the piece to take.
  std::span<const Request> requests() const { return in_flight_.requests(); }
  Pushed take(int index) {
    const Pushed pushed = next(in_flight_.take(index));
    std::size_t& arrived = arrived_[pushed.worker];
    arrived = pushed.last ? 0 : arrived + 1;
    return pushed;
  }

 private:
  Pushed next(int worker) const {
    const Range weights = piece(shard_, arrived_[worker], segment_);
    const Range slot = slots_.part(worker, arrived_.size()).first(weights.size);
    const bool last = arrived_[worker] + 1 == piece_count(shard_.size, segment_);
    return {worker, weights, slot, last};
  }

  Communicator comm_;
  Range shard_, slots_;
  std::size_t segment_;
  Table<std::size_t> arrived_;  ///< pieces of the push that is in flight, by worker
  InFlight in_flight_;
};

}  // namespace ringscope
