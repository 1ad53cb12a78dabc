// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/traces/dependences.hpp"

namespace ringscope::traces {

Dependences::Dependences(const std::vector<Node>& nodes, int lanes)
    : nodes_(&nodes), missing_(nodes.size()), waiting_(nodes.size()), lanes_(index(lanes)) {
  for (int i = 0; i < std::ssize(nodes); ++i) {
    missing_[index(i)] = nodes[index(i)].after.size();
    for (const int other : nodes[index(i)].after) waiting_[index(other)].push_back(i);
  }
  for (int i = 0; i < std::ssize(nodes); ++i)
    if (nodes[index(i)].after.empty()) make_free(i);
  while (!ending_.empty()) let_go(ending_.back());
  free_at_start_ = freed_;
}

void Dependences::make_free(int number) {
  const Node& one = node(number);
  if (one.kind == Node::Kind::order) {
    ending_.push_back(number);
    return;
  }
  (is_message(one) ? messages_ : lanes_[index(one.lane)]).push(number);
  freed_.push_back(number);
}

void Dependences::let_go(int number) {
  ending_.pop_back();
  ++ended_;
  for (const int other : waiting_[index(number)])
    if (--missing_[index(other)] == 0) make_free(other);
}

const std::vector<int>& Dependences::end(int node) {
  freed_.clear();
  ending_.push_back(node);
  while (!ending_.empty()) let_go(ending_.back());
  return freed_;
}

int Dependences::first_waiting() {
  while (first_waiting_ < missing_.size() && missing_[first_waiting_] == 0) ++first_waiting_;
  return first_waiting_ < missing_.size() ? static_cast<int>(first_waiting_) : -1;
}

}  // namespace ringscope::traces
