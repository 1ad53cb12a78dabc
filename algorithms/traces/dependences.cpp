// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/traces/dependences.hpp"

namespace ringscope::traces {

Dependences::Dependences(const Table<Node>& nodes, int lanes)
    : nodes_(&nodes), missing_(nodes.size()), waiting_(nodes.size()), lanes_(lanes) {
  for (int i = 0; i < std::ssize(nodes); ++i) {
    const Node& one = nodes[i];
    missing_[i] = one.after.size() + one.after_starts.size();
    for (const int other : one.after) waiting_[other].push_back(i);
    if (!one.after_starts.empty()) waiting_for_start_.resize(nodes.size());
    for (const int other : one.after_starts) waiting_for_start_[other].push_back(i);
  }
  for (int i = 0; i < std::ssize(nodes); ++i)
    if (missing_[i] == 0) make_free(i);
  let_ended_go();
  free_at_start_ = freed_;
}

void Dependences::make_free(int number) {
  const Node& one = node(number);
  if (one.kind == Node::Kind::order) {
    ending_.push_back(number);
    return;
  }
  (is_message(one) ? messages_ : lanes_[one.lane]).push(number);
  freed_.push_back(number);
}

void Dependences::let_go(const std::vector<int>& waiting) {
  for (const int other : waiting)
    if (--missing_[other] == 0) make_free(other);
}

void Dependences::let_ended_go() {
  while (!ending_.empty()) {
    const int number = ending_.back();
    ending_.pop_back();
    ++ended_;
    let_go(waiting_[number]);
  }
}

const std::vector<int>& Dependences::begin(int node) {
  freed_.clear();
  if (!waiting_for_start_.empty()) let_go(waiting_for_start_[node]);
  let_ended_go();
  return freed_;
}

const std::vector<int>& Dependences::end(int node) {
  freed_.clear();
  ending_.push_back(node);
  let_ended_go();
  return freed_;
}

int Dependences::first_waiting() {
  while (first_waiting_ < missing_.size() && missing_[first_waiting_] == 0) ++first_waiting_;
  return first_waiting_ < missing_.size() ? static_cast<int>(first_waiting_) : -1;
}

}  // namespace ringscope::traces
