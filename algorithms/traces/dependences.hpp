// SPDX-License-Identifier: LGPL-2.1-or-later
// Dependences of one rank's nodes, and which of them are free.
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "algorithms/traces/trace.hpp"

namespace ringscope::traces {

inline bool is_message(const Node& node) {
  return node.kind == Node::Kind::send || node.kind == Node::Kind::receive;
}

class Dependences {
 public:
  /// All nodes that are not messages in lane 0 where it has one only.
  Dependences(const Table<Node>& nodes, int lanes);

  /// The first free one in the order of the file; requires that there is one.
  int next_message() { return pop(messages_); }
  int next(int lane) { return pop(lanes_[lane]); }
  bool has_message() const { return !messages_.empty(); }
  bool has(int lane) const { return !lanes_[lane].empty(); }
  /// Nodes that have become free with it.
  const std::vector<int>& begin(int node);
  const std::vector<int>& end(int node);
  /// Nodes that are free at the start.
  const std::vector<int>& free_at_start() const { return free_at_start_; }
  std::size_t ended() const { return ended_; }
  /// The first node that waits for others; -1 where none does.
  int first_waiting();
  const Node& node(int number) const { return (*nodes_)[number]; }
  std::size_t size() const { return nodes_->size(); }

 private:
  using Queue = std::priority_queue<int, std::vector<int>, std::greater<>>;

  static int pop(Queue& queue) {
    const int first = queue.top();
    queue.pop();
    return first;
  }
  /// Lets it begin; one that only keeps an order ends at once.
  void make_free(int number);
  void let_go(const std::vector<int>& waiting);
  void let_ended_go();

  const Table<Node>* nodes_;
  Table<std::size_t> missing_;
  using ByNode = Table<std::vector<int>>;
  ByNode waiting_, waiting_for_start_;  ///< by the node that they wait for; empty: none does
  Table<Queue> lanes_;
  Queue messages_;
  std::vector<int> free_at_start_, freed_;
  std::vector<int> ending_;  ///< nodes that have ended, and whose followers do not know
  std::size_t ended_ = 0;
  std::size_t first_waiting_ = 0;
};

}  // namespace ringscope::traces
