// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/traces/trace.hpp"

#include "algorithms/groups/on_group.hpp"

namespace ringscope::traces {
namespace {

const Trace& trace_of(const Options& options) { return *options.schedule->trace; }

bool is_of_programs(const Trace& trace) {
  return trace.of_goal || (lanes_of(trace) == 1 && !trace.asynchronous);
}

int most_nonblocking(const Trace& trace) {
  std::ptrdiff_t most = 0;
  if (!is_of_programs(trace)) return 0;
  for (const auto& nodes : trace.ranks)
    most = std::max(most, std::ranges::count_if(nodes, &Node::nonblocking));
  return static_cast<int>(most);
}

/// Lanes beside a program are threads of its rank.
int threads(const Options& options) {
  const Trace& trace = trace_of(options);
  if (is_of_programs(trace))
    return 1 + threads_of_groups(options, 1 + std::min(most_nonblocking(trace), most_in_flight));
  const int lanes = lanes_of(trace);
  return lanes + carriers_of(trace) + threads_of_groups(options, lanes);
}

std::vector<RankGroup> groups_of(int /*ranks*/, const Options& options) {
  std::vector<RankGroup> groups;
  for (const TraceGroup& group : trace_of(options).groups)
    groups.push_back({group.name, group.ranks});
  return groups;
}

Task run(Communicator comm, Workspace work, Options options) {
  const bool program = is_of_programs(trace_of(options));
  return program ? run_program(comm, work, options) : run_lanes(comm, work, options);
}

/// Each collective once, with the first rank of its group.
Cost cost(int /*ranks*/, std::size_t /*items*/, Options options) {
  const Trace& trace = trace_of(options);
  options = without_hosts(options);
  Cost sum;
  for (int rank = 0; rank < std::ssize(trace.ranks); ++rank)
    for (const Node& node : trace.ranks[rank]) {
      Cost one;
      if (node.kind == Node::Kind::send) one = {.messages = 1, .items = node.items};
      if (node.kind == Node::Kind::collective) {
        const auto& members = *trace.groups[node.group].ranks;
        if (members.front() != rank) continue;
        options.root = node.root;
        one = node.algorithm->cost(static_cast<int>(members.size()), node.items, options);
      }
      sum.messages += one.messages;
      sum.items += one.items;
    }
  sum.steps = sum.messages > 0 ? 1 : 0;
  return sum;
}

std::size_t scratch_items(int /*ranks*/, std::size_t /*items*/, Options options) {
  const Trace& trace = trace_of(options);
  std::size_t most = 0;
  for (const auto& nodes : trace.ranks) {
    std::size_t sum = 0;
    for (const Node& node : nodes) sum += room_of(node, trace, options);
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

int lanes_of(const Trace& trace) {
  int most = 0;
  for (const auto& nodes : trace.ranks)
    for (const Node& node : nodes)
      if (!is_message(node)) most = std::max(most, node.lane);
  return most + 1;
}

std::uint64_t longest_of(const Trace& trace) {
  std::uint64_t most = 1;
  for (const auto& nodes : trace.ranks)
    for (const Node& node : nodes) most = std::max(most, node.items);
  return most;
}

NodeId in_a_circle(const Trace& trace) {
  const int lanes = lanes_of(trace);
  for (int rank = 0; rank < std::ssize(trace.ranks); ++rank) {
    Dependences dependences(trace.ranks[rank], lanes);
    std::vector<int> free = dependences.free_at_start();
    while (!free.empty()) {
      const int node = free.back();
      free.pop_back();
      for (const int freed : dependences.begin(node)) free.push_back(freed);
      for (const int freed : dependences.end(node)) free.push_back(freed);
    }
    if (const int node = dependences.first_waiting(); node >= 0) return {rank, node};
  }
  return {};
}

Algorithm algorithm_of_trace(const schedules::Schedule& schedule) {
  const Trace& trace = *schedule.trace;
  Algorithm algorithm = {
      .collective = schedule.collective,
      .name = schedule.name,
      .summary = "a trace from a file",
      .options = {},
      .least_ranks = static_cast<int>(trace.ranks.size()),
      .run = run,
      .cost = cost,
      .scratch_items = scratch_items,
      .varies = Varies::steps,
  };
  if (trace.of_goal) return algorithm;
  algorithm.options = {"segment"};
  algorithm.nonblocking = most_nonblocking(trace);
  algorithm.threads_for = threads;
  algorithm.groups = groups_of;
  return algorithm;
}

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
