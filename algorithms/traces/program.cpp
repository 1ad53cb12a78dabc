// SPDX-License-Identifier: LGPL-2.1-or-later
// A rank of one lane: a program of one thread.
#include <algorithm>
#include <cassert>

#include "algorithms/traces/dependences.hpp"
#include "algorithms/traces/performer.hpp"

namespace ringscope::traces {
namespace {

/// Posts all messages that are free, then does the next node, else waits.
class Program {
 public:
  Program(Communicator comm, const RankWork* work)
      : comm_(comm), work_(work), dependences_(work->nodes(), 1) {}

  Task run() {
    while (dependences_.ended() < dependences_.size() || !requests_.empty()) {
      while (dependences_.has_message()) post(dependences_.next_message());
      if (dependences_.has(0))
        co_await perform(dependences_.next(0));
      else
        co_await wait();
    }
  }

 private:
  struct Collective {
    int node;
    Thread thread;
  };

  void post(int number) {
    work_->mark(comm_, number);
    requests_.push_back(work_->post(comm_, number));
    posted_.push_back(number);
    if (work_->node(number).buffered) dependences_.end(number);
  }

  Task perform(int number) {
    const Node& node = work_->node(number);
    if (node.kind != Node::Kind::collective) work_->mark(comm_, number);
    if (node.kind != Node::Kind::collective) {
      if (node.time.count() > 0) co_await work_->pass(comm_, number);
    } else if (!node.nonblocking) {
      co_await work_->collective(comm_, number);
    } else {
      if (std::ssize(collectives_) == most_in_flight) co_await join(0);
      Task text = work_->collective(comm_.beside(Beside::nonblocking), number);
      collectives_.push_back({number, comm_.start(std::move(text), Beside::nonblocking)});
      co_return;
    }
    dependences_.end(number);
  }

  /// The next node in the file says what the program waits for.
  Task wait() {
    assert((!requests_.empty() || !collectives_.empty()) && "a trace has no circles");
    const int next = dependences_.first_waiting();
    const auto awaited = std::ranges::find_if(collectives_, [&](const Collective& one) {
      const auto& after = work_->node(next).after;
      return requests_.empty() || (next >= 0 && std::ranges::count(after, one.node) > 0);
    });
    if (awaited != collectives_.end()) {
      co_await join(awaited - collectives_.begin());
      co_return;
    }
    work_->mark(comm_, posted_.front());
    const auto done = co_await comm_.wait_any(requests_);
    const int node = posted_[static_cast<std::size_t>(done)];
    requests_.erase(requests_.begin() + done);
    posted_.erase(posted_.begin() + done);
    if (!work_->node(node).buffered) dependences_.end(node);
  }

  Task join(std::ptrdiff_t which) {
    const Collective one = collectives_[static_cast<std::size_t>(which)];
    work_->mark(comm_, one.node);
    co_await comm_.join(one.thread);
    collectives_.erase(collectives_.begin() + which);
    dependences_.end(one.node);
  }

  Communicator comm_;
  const RankWork* work_;
  Dependences dependences_;
  std::vector<Request> requests_;
  std::vector<int> posted_;  ///< nodes, by request
  std::vector<Collective> collectives_;
};

Task run(Communicator comm, const RankWork* work) {
  Program program(comm, work);
  co_await program.run();
}

}  // namespace

Task run_program(Communicator comm, const RankWork* work) { return run(comm, work); }

}  // namespace ringscope::traces
