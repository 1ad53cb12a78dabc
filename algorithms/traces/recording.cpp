// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/traces/recording.hpp"

#include <fmt/format.h>

#include "algorithms/loopback/posts.hpp"

#include <algorithm>
#include <climits>
#include <cmath>

namespace ringscope::traces {
namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw NoGraph(fmt::format("a graph of messages cannot say it: the program {}", what));
}

/// The rank's one thread. All that it sends and receives is done at once.
class Recorder final : public Executor {
 public:
  Recorder(int rank, int size, const LocalCost& cost) : rank_(rank), size_(size), cost_(&cost) {}

  std::vector<Node> record(const std::function<Task(Communicator)>& program) {
    Task task = program(Communicator(*this));
    task.start();
    while (!task.done()) std::exchange(waiter_, {}).resume();
    task.rethrow();
    return std::move(nodes_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Request post(const Operation& operation) override {
    const bool sends = operation.verb == Verb::isend;
    if (operation.tag.context != Tag().context) refuse("splits its communicator");
    return {add({.kind = sends ? Node::Kind::send : Node::Kind::receive,
                 .items = operation.range.size,
                 .peer = operation.peer,
                 .tag = operation.tag.number})};
  }
  bool perform(Operation& operation, std::coroutine_handle<> waiter) override {
    perform(operation);
    operation.result = static_cast<int>(std::min<std::size_t>(operation.range.size, INT_MAX));
    waiter_ = waiter;
    return true;
  }
  Thread start(Task, Beside) override { refuse("has threads or non-blocking collectives"); }
  int next_free(Beside) override { refuse("has threads or non-blocking collectives"); }
  Executor& thread(int) override { refuse("has threads or non-blocking collectives"); }
  void mark(Mark) override {}
  void raise(Flag) override { refuse("raises flags"); }

 private:
  int add(Node node) {
    node.after = before_;
    nodes_.push_back(std::move(node));
    since_.push_back(epoch_);
    return static_cast<int>(nodes_.size()) - 1;
  }

  /// From here on all waits for these; for those before them no more, where these do.
  void wait_for(const std::vector<int>& waited) {
    if (waited.empty()) return;
    const bool all_later =
        std::ranges::all_of(waited, [&](int node) { return since_[node] == epoch_; });
    if (all_later) before_.clear();
    before_.insert(before_.end(), waited.begin(), waited.end());
    std::ranges::sort(before_);
    before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
    ++epoch_;
  }

  void calculate(Duration time) {
    constexpr double nanoseconds = 1e9;
    const double whole = std::round(time.count() * nanoseconds);
    if (whole > 0)
      wait_for({add({.kind = Node::Kind::compute, .time = Duration(whole / nanoseconds)})});
  }

  void perform(const Operation& operation) {
    switch (operation.verb) {
      case Verb::send:
        return wait_for({post(isend_of(operation)).slot});
      case Verb::recv:
        return wait_for({post(irecv_of(operation)).slot});
      case Verb::sendrecv: {
        const int incoming = post(irecv_of(operation)).slot;
        return wait_for({incoming, post(isend_of(operation)).slot});
      }
      case Verb::wait:
      case Verb::wait_all: {
        std::vector<int> waited;
        for (const Request request : operation.requests) waited.push_back(request.slot);
        return wait_for(waited);
      }
      case Verb::reduce:
      case Verb::copy:
        return calculate((*cost_)(operation));
      case Verb::compute:
      case Verb::sleep:
        return calculate(operation.time);
      case Verb::wait_any:
      case Verb::test:
        refuse("asks what came first");
      default:
        refuse(fmt::format("uses {}", name_of(operation.verb)));
    }
  }

  int rank_, size_;
  const LocalCost* cost_;
  std::coroutine_handle<> waiter_;
  std::vector<Node> nodes_;
  std::vector<int> before_;  ///< nodes that what comes next waits for
  Table<int> since_;         ///< epoch in which a node was added
  int epoch_ = 0;            ///< count of waits
};

}  // namespace

std::vector<Node> recorded(int rank, int size, const std::function<Task(Communicator)>& program,
                           const LocalCost& cost) {
  return Recorder(rank, size, cost).record(program);
}

}  // namespace ringscope::traces
