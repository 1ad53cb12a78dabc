// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/traces/performer.hpp"

#include "algorithms/groups/on_group.hpp"
#include "algorithms/traces/dependences.hpp"
#include "base/view.hpp"

namespace ringscope::traces {
namespace {

/// Tags of collectives are below 0, those of messages are not: for each group as many as may be
/// in flight at once, and for each of these as many as an algorithm uses.
constexpr int tags_of_algorithm = 64, collectives_at_once = 64;

int tag_of(int group, int number_in_group) {
  const int turn = number_in_group % collectives_at_once;
  return -((group * collectives_at_once + turn + 1) * tags_of_algorithm);
}

}  // namespace

std::size_t room_of(const Node& node, const Trace& trace, const Options& options) {
  if (node.kind == Node::Kind::receive) return node.items;
  if (node.kind != Node::Kind::collective) return 0;
  const auto& group = trace.groups[node.group];
  return node.items + scratch_on_group(*node.algorithm, static_cast<int>(group.ranks->size()),
                                       node.items, without_hosts(options));
}

RankWork::RankWork(const Trace& trace, Communicator comm, Workspace work, Options options)
    : trace_(&trace), nodes_(&trace.ranks[comm.rank()]), work_(work), options_(options) {
  Table<int> numbers(trace.groups.size());
  std::size_t offset = work.scratch.offset;
  for (const Node& node : *nodes_) {
    places_.push_back(offset);
    offset += room_of(node, trace, options);
    const bool collective = node.kind == Node::Kind::collective;
    tags_.push_back(collective ? tag_of(node.group, numbers[node.group]++) : 0);
  }
}

Request RankWork::post(Communicator comm, int number) const {
  const Node& one = node(number);
  const std::size_t items = one.items;
  if (!trace_->of_goal) mark(comm, number);
  if (one.kind == Node::Kind::receive)
    return comm.irecv({work_.scratch.buffer, places_[number], items}, one.peer, one.tag);
  return comm.isend(work_.data.first(items), one.peer, one.tag);
}

Task RankWork::collective(Communicator comm, int number) const {
  const Node& one = node(number);
  const Group& group = trace_->groups[one.group];
  const Communicator members = comm.group(group.ranks, group.name, tags_[number]);
  const std::size_t items = one.items, place = places_[number];
  Options options = options_;
  options.root = one.root;
  options.stream = one.lane;
  const Workspace own = {
      {work_.scratch.buffer, place, items},
      {work_.scratch.buffer, place + items, room_of(one, *trace_, options) - items}};
  return on_group(members, *one.algorithm, own, options);
}

Pending RankWork::pass(Communicator comm, int number) const {
  const Node& one = node(number);
  return one.kind == Node::Kind::compute ? comm.compute(one.time) : comm.sleep(one.time);
}

void RankWork::mark(Communicator comm, int number) const {
  static constexpr Array<std::string_view, 4> phases = {"compute", "delay", "send", "receive"};
  static constexpr Array<std::string_view, 4> of_goal = {"calculate", "", "messages", "messages"};
  const Node& one = node(number);
  const std::string_view phase = one.kind == Node::Kind::collective ? one.algorithm->collective
                                 : trace_->of_goal                  ? of_goal[one.kind]
                                                                    : phases[one.kind];
  comm.enter(phase, number);
}

}  // namespace ringscope::traces
