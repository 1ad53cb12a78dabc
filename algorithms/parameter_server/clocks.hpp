// SPDX-License-Identifier: LGPL-2.1-or-later
// Clocks that a server keeps of its workers: how often each has pushed, and who may have an answer.
#pragma once

#include <algorithm>
#include <cassert>
#include <limits>
#include <span>
#include <vector>

#include "algorithms/verbs/communicator.hpp"
#include "base/table.hpp"

namespace ringscope {

/// Nobody waits for anybody.
inline constexpr int no_bound = std::numeric_limits<int>::max();

/// A worker has its answer at once unless it is more than `bound` pushes ahead of the slowest; then
/// it waits until that is no longer so. With bound 0 all go in lock step.
///
/// Source: Ho et al., "More effective distributed ML via a stale synchronous parallel parameter
/// server", NIPS 2013.
class WorkerClocks {
 public:
  WorkerClocks(int workers, int bound) : bound_(bound), workers_(workers) {}

  /// A push of the worker, which does not wait for an answer, has been applied to the weights;
  /// with `asks` it waits for one now. Yields its staleness: how many updates of others had been
  /// since the worker's last pull.
  int applied(int worker, bool asks = true) {
    Worker& self = workers_[worker];
    assert(!self.waits);
    const int staleness = updates_ - self.pulled_at - self.own;
    ++updates_;
    ++self.pushes;
    ++self.own;
    self.waits = asks;
    return staleness;
  }
  /// The worker waits for an answer, without a push.
  void asks(int worker) { workers_[worker].waits = true; }

  /// The workers whose answers are due, in order; from now on they wait no longer.
  std::vector<int> released() {
    const int least = std::ranges::min_element(workers_, [](auto& a, auto& b) {
                        return a.pushes < b.pushes;
                      })->pushes;
    std::vector<int> due;
    for (int i = 0; i < std::ssize(workers_); ++i) {
      Worker& worker = workers_[i];
      if (!worker.waits || worker.pushes - least > bound_) continue;
      worker.waits = false;
      worker.pulled_at = updates_;
      worker.own = 0;
      due.push_back(i);
    }
    return due;
  }

  int pushes(int worker) const { return workers_[worker].pushes; }

 private:
  struct Worker {
    int pushes = 0, pulled_at = 0;
    int own = 0;  ///< pushes since that pull
    bool waits = false;
  };

  int bound_;
  int updates_ = 0;
  Table<Worker> workers_;
};

// Requests that are in flight for several peers, for wait_any: the oldest first, so that nobody who
// comes often is always served before the others.

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
