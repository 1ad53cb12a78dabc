// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/traces/recording.hpp"

#include <fmt/format.h>

#include "algorithms/loopback/posts.hpp"

#include <climits>
#include <cmath>

namespace ringscope::traces {
namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw NoGraph(fmt::format("a graph of messages cannot say it: the program {}", what));
}

/// Limit of a rank whose end may depend on operations that are not waited for.
constexpr std::size_t most_nodes = 1'000'000;

class Recorder;

/// State that the threads of a rank share.
struct RecordedRank {
  int rank, size;
  const LocalCost* cost;
  Unordered unordered;
  std::vector<Node> nodes{};
  Table<int> since{};  ///< epoch in which a node was added
  int epoch = 0;       ///< count of waits
  Table<std::unique_ptr<Recorder>> threads{};
  int started = 0;  ///< of them, beside the first
};

/// A thread of a rank. All that it sends and receives is done at once; a thread that it starts ends
/// before it goes on.
class Recorder final : public Executor {
 public:
  Recorder(RecordedRank& all, int index) : all_(&all), index_(index) {}

  void record(Task task) {
    task.start();
    while (!task.done()) std::exchange(waiter_, {}).resume();
    task.rethrow();
  }

  int rank() const override { return all_->rank; }
  int size() const override { return all_->size; }
  Request post(const Operation& operation) override {
    const bool sends = operation.verb == Verb::isend;
    if (operation.tag.context != Tag().context) refuse("splits its communicator");
    return {add({.kind = sends ? Node::Kind::send : Node::Kind::receive,
                 .lane = index_,
                 .items = operation.range.size,
                 .peer = operation.peer,
                 .tag = operation.tag.number})};
  }
  bool perform(Operation& operation, std::coroutine_handle<> waiter) override {
    operation.result = static_cast<int>(std::min<std::size_t>(operation.range.size, INT_MAX));
    perform(operation);
    waiter_ = waiter;
    return true;
  }
  Thread start(Task body, Beside how) override {
    const int index = next_free(how);
    Recorder& begun = *all_->threads[all_->started = index];
    begun.before_ = before_;
    begun.record(std::move(body));
    return {index};
  }
  int next_free(Beside) override {
    if (exact()) refuse("has threads or non-blocking collectives");
    return all_->started + 1;
  }
  Executor& thread(int index) override {
    auto& found = all_->threads.grown(index);
    if (!found) found = std::make_unique<Recorder>(*all_, index);
    return *found;
  }
  void mark(Mark) override {}
  void raise(Flag) override {
    if (exact()) refuse("raises flags");
  }

 private:
  bool exact() const { return all_->unordered == Unordered::none; }

  int add(Node node) {
    if (!exact() && all_->nodes.size() == most_nodes) refuse("has more than a million operations");
    node.after = before_;
    all_->nodes.push_back(std::move(node));
    all_->since.push_back(all_->epoch);
    return static_cast<int>(all_->nodes.size()) - 1;
  }

  /// From here on all waits for these; for those before them no more, where these do.
  void wait_for(const std::vector<int>& waited) {
    if (waited.empty()) return;
    const bool all_later =
        std::ranges::all_of(waited, [&](int node) { return all_->since[node] == all_->epoch; });
    if (all_later) before_.clear();
    before_.insert(before_.end(), waited.begin(), waited.end());
    std::ranges::sort(before_);
    before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
    ++all_->epoch;
  }

  void calculate(Duration time) {
    constexpr double nanoseconds = 1e9;
    const double whole = std::round(time.count() * nanoseconds);
    if (whole > 0)
      wait_for({add(
          {.kind = Node::Kind::compute, .lane = index_, .time = Duration(whole / nanoseconds)})});
  }

  void perform(Operation& operation) {
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
        return wait_for(each_of(operation.requests, &Request::slot));
      }
      case Verb::reduce:
      case Verb::copy:
        return calculate((*all_->cost)(operation));
      case Verb::compute:
      case Verb::sleep:
        return calculate(operation.time);
      case Verb::wait_any:
      case Verb::test:
        if (exact() || operation.verb == Verb::test) refuse("depends on what comes first");
        operation.result = 0;
        if (all_->unordered == Unordered::likely) wait_for({operation.requests.front().slot});
        return;
      case Verb::join:
        if (!exact()) return wait_for(all_->threads[operation.thread.index]->before_);
        [[fallthrough]];
      case Verb::reach:
        if (!exact()) return;  // flags are not waited for
        [[fallthrough]];
      default:
        refuse(fmt::format("uses {}", name_of(operation.verb)));
    }
  }

  RecordedRank* all_;
  int index_;
  std::coroutine_handle<> waiter_;
  std::vector<int> before_;  ///< nodes that what comes next waits for
};

}  // namespace

std::vector<Node> recorded(int rank, int size, const std::function<Task(Communicator)>& program,
                           const LocalCost& cost, Unordered unordered) {
  RecordedRank all{rank, size, &cost, unordered};
  Recorder first(all, 0);
  first.record(program(Communicator(first)));
  return std::move(all.nodes);
}

}  // namespace ringscope::traces
