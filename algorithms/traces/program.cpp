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
    while (dependences_.ended() < dependences_.size()) {
      while (dependences_.has_message()) post(dependences_.next_message());
      if (dependences_.has(0)) {
        const int number = dependences_.next(0);
        const Node& node = work_->node(number);
        dependences_.begin(number);
        if (node.kind == Node::Kind::collective) {
          co_await collective(number);
          continue;
        }
        work_->mark(comm_, number);
        if (node.time.count() > 0) co_await work_->pass(comm_, number);
        dependences_.end(number);
        continue;
      }
      assert((!requests_.empty() || !collectives_.empty()) && "a trace has no circles");
      const auto awaited = awaited_collective();
      if (awaited != collectives_.end()) {
        co_await join(awaited - collectives_.begin());
        continue;
      }
      work_->mark(comm_, posted_.front());
      const auto done = co_await comm_.wait_any(requests_);
      dependences_.end(posted_[done]);
      requests_.erase(requests_.begin() + done);
      posted_.erase(posted_.begin() + done);
    }
  }

 private:
  struct Collective {
    int node;
    Thread thread;
  };
  using Collectives = Table<Collective>;

  void post(int number) {
    requests_.push_back(work_->post(comm_, number));
    posted_.push_back(number);
    dependences_.begin(number);
  }

  Task collective(int number) {
    if (work_->node(number).nonblocking) {
      if (std::ssize(collectives_) == most_in_flight) co_await join(0);
      Task text = work_->collective(comm_.beside(Beside::nonblocking), number);
      collectives_.push_back({number, comm_.start(std::move(text), Beside::nonblocking)});
      co_return;
    }
    co_await work_->collective(comm_, number);
    dependences_.end(number);
  }

  /// The next node in the file says what the program waits for.
  Collectives::const_iterator awaited_collective() {
    const int next = dependences_.first_waiting();
    return std::ranges::find_if(std::as_const(collectives_), [&](const Collective& one) {
      return requests_.empty() ||
             (next >= 0 && std::ranges::count(work_->node(next).after, one.node) > 0);
    });
  }

  Task join(std::ptrdiff_t which) {
    const Collective one = collectives_[which];
    work_->mark(comm_, one.node);
    co_await comm_.join(one.thread);
    collectives_.erase(collectives_.begin() + which);
    dependences_.end(one.node);
  }

  Communicator comm_;
  const RankWork* work_;
  Dependences dependences_;
  std::vector<Request> requests_;
  Table<int> posted_;  ///< nodes, by request
  Collectives collectives_;
};

}  // namespace

Task run_program(Communicator comm, const RankWork* work) {
  Program program(comm, work);
  co_await program.run();
}

}  // namespace ringscope::traces
