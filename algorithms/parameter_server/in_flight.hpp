// SPDX-License-Identifier: LGPL-2.1-or-later
// Requests that are in flight for several peers, for wait_any: the oldest first, so that nobody who
// comes often is always served before the others.
#pragma once

#include <span>
#include <vector>

#include "algorithms/verbs/communicator.hpp"
#include "base/table.hpp"

namespace ringscope {

class InFlight {
 public:
  void add(Request request, int peer) {
    requests_.push_back(request);
    peers_.push_back(peer);
  }
  bool empty() const { return requests_.empty(); }
  std::span<const Request> requests() const { return requests_; }
  /// Request `index` has completed. Yields whose it was.
  int take(int index) {
    const int peer = peers_[index];
    requests_.erase(requests_.begin() + index);
    peers_.erase(peers_.begin() + index);
    return peer;
  }

 private:
  std::vector<Request> requests_;
  Table<int> peers_;
};

}  // namespace ringscope
