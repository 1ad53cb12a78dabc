#include "algorithms/traces/dependences.hpp"

namespace ringscope::traces {

Dependences::Dependences(const std::vector<Node>& nodes, int lanes)
    : nodes_(&nodes),
      missing_(nodes.size()),
      waiting_(nodes.size()),
      done_(nodes.size()),
      lanes_(index(lanes)) {
  for (int i = 0; i < std::ssize(nodes); ++i) {
    missing_[index(i)] = nodes[index(i)].after.size();
    for (const int other : nodes[index(i)].after) waiting_[index(other)].push_back(i);
    if (missing_[index(i)] > 0) continue;
    make_free(i);
    free_at_start_.push_back(i);
  }
}

void Dependences::make_free(int number) {
  const Node& one = node(number);
  (is_message(one) ? messages_ : lanes_[index(one.lane)]).push(number);
}

const std::vector<int>& Dependences::end(int node) {
  freed_.clear();
  done_[index(node)] = true;
  ++ended_;
  for (const int other : waiting_[index(node)]) {
    if (--missing_[index(other)] > 0) continue;
    make_free(other);
    freed_.push_back(other);
  }
  return freed_;
}

int Dependences::first_waiting() const {
  for (int i = 0; i < std::ssize(*nodes_); ++i)
    if (missing_[index(i)] > 0) return i;
  return -1;
}

}  // namespace ringscope::traces
