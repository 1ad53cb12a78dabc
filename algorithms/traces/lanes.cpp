// SPDX-License-Identifier: LGPL-2.1-or-later
// A rank of several lanes: each is a thread of the rank; further threads, the carriers, see to its
// messages. A thread waits on a flag that is raised once for each node that becomes free.
#include <algorithm>

#include "algorithms/traces/dependences.hpp"
#include "algorithms/traces/performer.hpp"

namespace ringscope::traces {
namespace {

std::ptrdiff_t messages_of(const std::vector<Node>& nodes) {
  return std::ranges::count_if(nodes, is_message);
}

class Lanes {
 public:
  Lanes(const RankWork* work, int lanes)
      : work_(work),
        dependences_(work->nodes(), lanes),
        messages_{lanes},
        left_(messages_of(work->nodes())) {}

  void begin(Communicator comm) { announce(comm, dependences_.free_at_start()); }

  Task run_lane(Communicator comm, int lane) {
    const auto all = std::ranges::count_if(work_->nodes(), [&](const Node& node) {
      return !is_message(node) && node.kind != Node::Kind::order && node.lane == lane;
    });
    for (std::ptrdiff_t taken = 1; taken <= all; ++taken) {
      co_await comm.reach(Flag{lane}, taken);
      const int number = dependences_.next(lane);
      const Node& node = work_->node(number);
      begin(comm, number);
      if (node.kind == Node::Kind::collective) {
        co_await work_->collective(comm, number);
      } else {
        work_->mark(comm, number);
        if (node.time.count() > 0) co_await work_->pass(comm, number);
      }
      end(comm, number);
    }
  }

  /// Carriers that the flag wakes go on one after the other, and each takes the first message that
  /// is free: so messages are posted in the order of the file.
  Task carry(Communicator comm) {
    while (left_ > 0) {
      co_await comm.reach(messages_, taken_ + 1);
      if (left_ == 0 || !dependences_.has_message()) continue;
      ++taken_;
      if (--left_ == 0) comm.raise(messages_);  // the others have nothing left to wait for
      const int number = dependences_.next_message();
      const Request request = work_->post(comm, number);
      begin(comm, number);
      co_await comm.wait(request);
      end(comm, number);
    }
  }

 private:
  void begin(Communicator comm, int number) { announce(comm, dependences_.begin(number)); }
  void end(Communicator comm, int number) { announce(comm, dependences_.end(number)); }

  void announce(Communicator comm, const std::vector<int>& freed) {
    for (const int number : freed) {
      const Node& node = work_->node(number);
      comm.raise(is_message(node) ? messages_ : Flag{node.lane});
    }
  }

  const RankWork* work_;
  Dependences dependences_;
  Flag messages_;
  std::ptrdiff_t left_ = 0, taken_ = 0;  ///< messages, not yet and already begun
};

}  // namespace

int carriers_of(const Trace& trace) {
  std::ptrdiff_t most = 0;
  for (const auto& nodes : trace.ranks) most = std::max(most, messages_of(nodes));
  return static_cast<int>(std::min<std::ptrdiff_t>(most, most_carriers));
}

Task run_lanes(Communicator comm, const RankWork* work, int lanes, int carriers) {
  Lanes all(work, lanes);
  all.begin(comm);
  std::vector<Thread> others;
  for (int lane = 1; lane < lanes; ++lane)
    others.push_back(comm.start(all.run_lane(comm.thread(lane), lane)));
  for (int i = 0; i < carriers; ++i)
    others.push_back(comm.start(all.carry(comm.thread(lanes + i))));
  co_await all.run_lane(comm, 0);
  for (const Thread other : others) co_await comm.join(other);
}

}  // namespace ringscope::traces
