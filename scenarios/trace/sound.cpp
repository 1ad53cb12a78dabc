// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks of a trace that need no clock.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "scenarios/trace/trace_file.hpp"

namespace ringscope {
namespace {

using traces::Node;
using traces::NodeId;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class Soundness {
 public:
  explicit Soundness(const TraceAnswer& answer) : answer_(&answer), trace_(&answer.trace) {}

  void require() {
    if (const NodeId id = in_a_circle(*trace_); id.rank >= 0)
      fail(id, "nodes wait for each other in a circle, and this one is in it or behind it");
    if (traces::lanes_of(*trace_) > traces::most_lanes)
      fail({0, 0},
           fmt::format("the ranks have more than {} streams and threads", traces::most_lanes));
    collectives_.resize(trace_->groups.size());
    for (int rank = 0; rank < std::ssize(trace_->ranks); ++rank) note(rank);
    for (const auto& [key, flow] : flows_) require_partners(flow);
  }

 private:
  struct Flow {
    std::vector<NodeId> sends, receives;
  };
  struct First {
    NodeId id;
    const Node* node = nullptr;
  };

  const Node& node(NodeId id) const { return trace_->ranks[at(id.rank)][at(id.node)]; }
  std::string words(NodeId id) const {
    return fmt::format("{} of rank {}", answer_->words(id), id.rank);
  }
  [[noreturn]] void fail(NodeId id, const std::string& why) const {
    throw InputError(answer_->place(id), fmt::format("{}: {}", answer_->words(id), why));
  }

  void note(int rank) {
    std::vector<std::size_t> numbers(trace_->groups.size());
    const auto& nodes = trace_->ranks[at(rank)];
    for (int i = 0; i < std::ssize(nodes); ++i) {
      const Node& one = nodes[at(i)];
      const NodeId id{rank, i};
      if (one.kind == Node::Kind::send) flows_[{rank, one.peer, one.tag}].sends.push_back(id);
      if (one.kind == Node::Kind::receive && one.peer >= 0)
        flows_[{one.peer, rank, one.tag}].receives.push_back(id);
      if (one.kind == Node::Kind::receive && one.peer < 0) takes_any_ = true;
      if (one.kind == Node::Kind::collective) compare(id, numbers[at(one.group)]++);
    }
  }

  /// The n-th one of a group is the same in all its ranks.
  void compare(NodeId id, std::size_t number) {
    const Node& one = node(id);
    auto& firsts = collectives_[at(one.group)];
    if (number == firsts.size()) firsts.push_back({id, &one});
    const Node& other = *firsts[number].node;
    if (other.algorithm == one.algorithm && other.items == one.items && other.root == one.root)
      return;
    const auto told = [](const Node& told_of) {
      return fmt::format("{} of {} with root {}", told_of.algorithm->collective,
                         to_text(Bytes{told_of.items}), told_of.root);
    };
    fail(id, fmt::format("collective {} on {} is {} here, and {} in {}", number + 1,
                         trace_->groups[at(one.group)].name, told(one), told(other),
                         words(firsts[number].id)));
  }

  void require_partners(const Flow& flow) const {
    const std::size_t common = std::min(flow.sends.size(), flow.receives.size());
    for (std::size_t i = 0; i < common; ++i) {
      const std::uint64_t sent = node(flow.sends[i]).items, room = node(flow.receives[i]).items;
      if (sent > room)
        fail(flow.receives[i],
             fmt::format("it receives {} B, and {} sends {} B", room, words(flow.sends[i]), sent));
    }
    if (takes_any_) return;  // a receive from any rank may take what is left
    if (flow.receives.size() > common) fail_alone(flow.receives[common]);
    if (flow.sends.size() > common) fail_alone(flow.sends[common]);
  }

  [[noreturn]] void fail_alone(NodeId id) const {
    const Node& one = node(id);
    if (one.kind == Node::Kind::send)
      fail(id, fmt::format("nobody receives this: rank {} has no receive left from rank {} with "
                           "tag {}",
                           one.peer, id.rank, one.tag));
    fail(id, fmt::format("nobody sends this: rank {} has no send left to rank {} with tag {}",
                         one.peer, id.rank, one.tag));
  }

  const TraceAnswer* answer_;
  const traces::Trace* trace_;
  std::map<std::tuple<int, int, int>, Flow> flows_;  ///< by sender, receiver and tag
  std::vector<std::vector<First>> collectives_;      ///< of each group
  bool takes_any_ = false;
};

}  // namespace

void require_sound(const TraceAnswer& answer) { Soundness(answer).require(); }

}  // namespace ringscope
