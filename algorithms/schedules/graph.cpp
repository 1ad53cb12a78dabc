// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/schedules/graph.hpp"

#include <algorithm>
#include <cassert>
#include <queue>

namespace ringscope::schedules {
namespace {

std::uint64_t received(const std::vector<Node>& nodes) {
  std::uint64_t sum = 0;
  for (const Node& node : nodes) sum += node.kind == Node::Kind::receive ? node.size : 0;
  return sum;
}

/// Dependences of one rank's nodes, and which of them are free.
class Dependences {
 public:
  explicit Dependences(const std::vector<Node>& nodes)
      : nodes_(&nodes), missing_(nodes.size()), by_end_(nodes.size()), by_start_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      missing_[i] = nodes[i].after.size() + nodes[i].after_starts.size();
      for (const int other : nodes[i].after) by_end_[index(other)].push_back(static_cast<int>(i));
      for (const int other : nodes[i].after_starts)
        by_start_[index(other)].push_back(static_cast<int>(i));
      if (missing_[i] == 0) make_free(static_cast<int>(i));
    }
  }

  bool has_message() const { return !messages_.empty(); }
  bool has_calculation() const { return !calculations_.empty(); }
  /// The first free one in the order of the file.
  int next_message() { return pop(messages_); }
  int next_calculation() { return pop(calculations_); }
  void begun(int node) { satisfy(by_start_[index(node)]); }
  void ended(int node) {
    satisfy(by_end_[index(node)]);
    ++ended_;
  }
  std::size_t ended() const { return ended_; }

 private:
  using Queue = std::priority_queue<int, std::vector<int>, std::greater<>>;

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static int pop(Queue& queue) {
    const int first = queue.top();
    queue.pop();
    return first;
  }
  void satisfy(const std::vector<int>& waiting) {
    for (const int node : waiting)
      if (--missing_[index(node)] == 0) make_free(node);
  }
  void make_free(int node) {
    const bool calculates = (*nodes_)[index(node)].kind == Node::Kind::calculate;
    (calculates ? calculations_ : messages_).push(node);
  }

  const std::vector<Node>* nodes_;
  std::vector<std::size_t> missing_;
  std::vector<std::vector<int>> by_end_, by_start_;
  Queue messages_, calculations_;
  std::size_t ended_ = 0;
};

/// One rank: posts all messages that are free, then calculates, else waits for a message.
class Performer {
 public:
  Performer(Communicator comm, Workspace work, const std::vector<Node>& nodes)
      : comm_(comm), work_(work), nodes_(&nodes), dependences_(nodes), places_(nodes.size()) {
    std::size_t offset = work.scratch.offset;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      places_[i] = offset;
      if (nodes[i].kind == Node::Kind::receive) offset += nodes[i].size;
    }
  }

  Task run() {
    while (dependences_.ended() < nodes_->size()) {
      while (dependences_.has_message()) post(dependences_.next_message());
      if (dependences_.has_calculation()) {
        const int node = dependences_.next_calculation();
        dependences_.begun(node);
        comm_.enter("calculate", node);
        constexpr double nanosecond = 1e-9;
        const auto nanoseconds = static_cast<double>((*nodes_)[index(node)].size);
        if (nanoseconds > 0) co_await comm_.compute(Duration(nanoseconds * nanosecond));
        dependences_.ended(node);
        continue;
      }
      assert(!requests_.empty() && "a graph has no circles");
      comm_.enter("messages", posted_.front());
      const auto done = co_await comm_.wait_any(requests_);
      const int node = posted_[index(done)];
      requests_.erase(requests_.begin() + done);
      posted_.erase(posted_.begin() + done);
      dependences_.ended(node);
    }
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  void post(int number) {
    const Node& node = (*nodes_)[index(number)];
    const bool receives = node.kind == Node::Kind::receive;
    const Range into{work_.scratch.buffer, places_[index(number)],
                     static_cast<std::size_t>(node.size)};
    const Range from{work_.data.buffer, work_.data.offset, static_cast<std::size_t>(node.size)};
    requests_.push_back(receives ? comm_.irecv(into, node.peer, node.tag)
                                 : comm_.isend(from, node.peer, node.tag));
    posted_.push_back(number);
    dependences_.begun(number);
  }

  Communicator comm_;
  Workspace work_;
  const std::vector<Node>* nodes_;
  Dependences dependences_;
  std::vector<std::size_t> places_;  ///< of what nodes receive, in scratch space
  std::vector<Request> requests_;
  std::vector<int> posted_;  ///< nodes, by request
};

Task run_graph(Communicator comm, Workspace work, Options options) {
  const Graph& graph = *options.schedule->graph;
  Performer performer(comm, work, graph.ranks[static_cast<std::size_t>(comm.rank())]);
  co_await performer.run();
}

Cost graph_cost(int /*ranks*/, std::size_t /*items*/, Options options) {
  Cost sum;
  for (const auto& nodes : options.schedule->graph->ranks)
    for (const Node& node : nodes) {
      if (node.kind != Node::Kind::send) continue;
      ++sum.messages;
      sum.items += node.size;
    }
  sum.steps = sum.messages > 0 ? 1 : 0;
  return sum;
}

std::size_t graph_scratch(int /*ranks*/, std::size_t /*items*/, Options options) {
  std::uint64_t most = 0;
  for (const auto& nodes : options.schedule->graph->ranks) most = std::max(most, received(nodes));
  return most;
}

}  // namespace

std::uint64_t largest_message(const Graph& graph) {
  std::uint64_t most = 1;
  for (const auto& nodes : graph.ranks)
    for (const Node& node : nodes)
      if (node.kind != Node::Kind::calculate) most = std::max(most, node.size);
  return most;
}

Algorithm algorithm_of_graph(const Schedule& schedule) {
  return {
      .collective = schedule.collective,
      .name = schedule.name,
      .summary = "messages from a file",
      .least_ranks = static_cast<int>(schedule.graph->ranks.size()),
      .run = run_graph,
      .cost = graph_cost,
      .scratch_items = graph_scratch,
      .varies = Varies::steps,
  };
}

NodeId in_a_circle(const Graph& graph) {
  for (int rank = 0; rank < std::ssize(graph.ranks); ++rank) {
    const auto& nodes = graph.ranks[static_cast<std::size_t>(rank)];
    Dependences dependences(nodes);
    std::vector<bool> done(nodes.size());
    while (dependences.has_message() || dependences.has_calculation()) {
      const int node =
          dependences.has_message() ? dependences.next_message() : dependences.next_calculation();
      dependences.begun(node);
      dependences.ended(node);
      done[static_cast<std::size_t>(node)] = true;
    }
    const auto left = std::find(done.begin(), done.end(), false);
    if (left != done.end()) return {rank, static_cast<int>(left - done.begin())};
  }
  return {};
}

}  // namespace ringscope::schedules
