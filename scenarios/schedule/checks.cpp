// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/schedule/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "algorithms/schedules/order.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

using schedules::Schedule;
using schedules::StepId;
using schedules::Waits;

[[noreturn]] void fail(const Told& told, const StepId& step, const std::string& message) {
  throw InputError(told.place(step), "{}: {}", told.text(step), message);
}

const schedules::Step& step_of(const Schedule& schedule, const StepId& id) {
  const auto& rank = schedule.ranks[id.rank];
  const auto& block = rank.blocks[id.block];
  return block.steps[id.step];
}

/// Steps as the file numbers them.
StepId in_file(const Schedule& schedule, const StepId& id) {
  return {id.rank, id.block, step_of(schedule, id).written};
}

int tag_of(const schedules::Step& step, schedules::Kind kind) {
  for (const schedules::Act& act : step.acts)
    if (act.kind == kind) return act.tag;
  return 0;
}

[[noreturn]] void fail_unmatched(const Schedule& schedule, const schedules::Unmatched& one,
                                 const Told& told) {
  const schedules::Step& step = step_of(schedule, one.step);
  const StepId here = in_file(schedule, one.step);
  if (one.other)
    fail(told, here,
         fmt::format("it sends {}, and {}, which receives them, expects {}",
                     plural(step.count, "chunk"), told.text(in_file(schedule, *one.other)),
                     plural(step_of(schedule, *one.other).count, "chunk")));
  if (one.kind == schedules::Kind::send)
    fail(told, here,
         fmt::format("nobody receives what it sends: gpu {} has no step left that receives from "
                     "gpu {} on channel {}",
                     one.peer, here.rank, tag_of(step, one.kind)));
  fail(told, here,
       fmt::format("nobody sends what it receives: gpu {} has no step left that sends to gpu {} on "
                   "channel {}",
                   one.peer, here.rank, tag_of(step, one.kind)));
}

std::string_view reason(Waits::For what) {
  if (what == Waits::For::own) return " comes after ";
  return what == Waits::For::block ? " waits for " : " receives from ";
}

[[noreturn]] void fail_circle(const Schedule& schedule, const std::vector<Waits>& circle,
                              const Told& told) {
  constexpr std::size_t most_named = 6;
  std::string all = "steps wait for each other in a circle: it";
  for (std::size_t i = 0; i < circle.size(); ++i) {
    if (i == most_named) {
      all += fmt::format("; and so on, {} steps in all, round to this one", circle.size());
      break;
    }
    if (i > 0) all += "; that";
    all += reason(circle[i].what);
    all += i + 1 == circle.size() ? "this one" : told.text(in_file(schedule, circle[i + 1].step));
  }
  fail(told, in_file(schedule, circle.front().step), all);
}

/// True where it computes what it promises: as it stands, or with sends that take a copy, as which
/// it is then left.
std::optional<schedules::Flaw> make_right(Schedule& schedule) {
  const auto flaw = flaw_of(schedule);
  if (!flaw) return {};
  Schedule with_copies = staged(schedule);
  if (flaw_of(with_copies)) return flaw;
  schedule = std::move(with_copies);
  return {};
}

[[noreturn]] void fail(const Told& told, const schedules::Flaw& flaw) {
  if (flaw.step) fail(told, *flaw.step, flaw.text);
  throw InputError(told.whole, flaw.text);
}

using traces::Node;
using traces::NodeId;

class Soundness {
 public:
  Soundness(const traces::Trace& trace, const std::function<Place(NodeId)>& place,
            const std::function<std::string(NodeId)>& words)
      : trace_(&trace), place_(&place), words_(&words) {}

  void require() {
    if (const NodeId id = in_a_circle(*trace_); id.rank >= 0)
      fail(id,
           fmt::format("{} in a circle, and this one is in it or behind it",
                       *words_ ? "nodes wait for each other"
                               : fmt::format("in rank {} operations require each other", id.rank)));
    if (traces::lanes_of(*trace_) > traces::most_lanes)
      fail({0, 0},
           fmt::format("the ranks have more than {} streams and threads", traces::most_lanes));
    collectives_.resize(trace_->groups.size());
    for (int rank = 0; rank < std::ssize(trace_->ranks); ++rank) note(rank);
    for (const auto& [key, flow] : flows_) require_partners(flow, for_any_[flow.to]);
    for (const auto& [key, any] : for_any_)
      if (any.receives.size() > any.sends.size()) fail_alone(any.receives[any.sends.size()]);
  }

 private:
  struct Flow {
    std::pair<int, int> to;  ///< receiver and tag
    std::vector<NodeId> sends, receives;
  };
  struct First {
    NodeId id;
    const Node* node = nullptr;
  };

  const Node& node(NodeId id) const { return trace_->ranks[id.rank][id.node]; }
  std::string words(NodeId id) const {
    return fmt::format("{} of rank {}", (*words_)(id), id.rank);
  }
  [[noreturn]] void fail(NodeId id, const std::string& why) const {
    throw InputError((*place_)(id), *words_ ? fmt::format("{}: {}", (*words_)(id), why) : why);
  }

  void note(int rank) {
    Table<std::size_t> numbers(trace_->groups.size());
    const auto& nodes = trace_->ranks[rank];
    for (int i = 0; i < std::ssize(nodes); ++i) {
      const Node& one = nodes[i];
      const NodeId id{rank, i};
      if (one.kind == Node::Kind::send) flow(rank, one.peer, one.tag).sends.push_back(id);
      if (one.kind == Node::Kind::receive)
        (one.peer < 0 ? for_any_[{rank, one.tag}] : flow(one.peer, rank, one.tag))
            .receives.push_back(id);
      if (one.kind == Node::Kind::collective) compare(id, numbers[one.group]++);
    }
  }

  /// Errors come in the order of the flows: by receiver, tag and sender in GOAL, else by sender,
  /// receiver and tag.
  Flow& flow(int sender, int receiver, int tag) {
    Flow& one = *words_ ? flows_[{sender, receiver, tag}] : flows_[{receiver, tag, sender}];
    one.to = {receiver, tag};
    return one;
  }

  /// The n-th one of a group is the same in all its ranks.
  void compare(NodeId id, std::size_t number) {
    const Node& one = node(id);
    auto& firsts = collectives_[one.group];
    if (number == firsts.size()) firsts.push_back({id, &one});
    const Node& other = *firsts[number].node;
    if (other.algorithm == one.algorithm && other.items == one.items && other.root == one.root)
      return;
    const auto told = [](const Node& told_of) {
      return fmt::format("{} of {} with root {}", told_of.algorithm->collective,
                         to_text(Bytes{told_of.items}), told_of.root);
    };
    fail(id, fmt::format("collective {} on {} is {} here, and {} in {}", number + 1,
                         trace_->groups[one.group].name, told(one), told(other),
                         words(firsts[number].id)));
  }

  /// Receives from any rank take what is left.
  void require_partners(const Flow& flow, Flow& any) const {
    const std::size_t common = std::min(flow.sends.size(), flow.receives.size());
    for (std::size_t i = 0; i < common; ++i) {
      const std::uint64_t sent = node(flow.sends[i]).items, room = node(flow.receives[i]).items;
      if (sent > room) fail(flow.receives[i], too_long_text(flow.sends[i], sent, room));
    }
    if (flow.receives.size() > common) fail_alone(flow.receives[common]);
    for (std::size_t i = common; i < flow.sends.size(); ++i) {
      if (any.sends.size() == any.receives.size()) fail_alone(flow.sends[i]);
      any.sends.push_back(flow.sends[i]);
    }
  }

  std::string too_long_text(NodeId send, std::uint64_t sent, std::uint64_t room) const {
    if (*words_) return fmt::format("it receives {} B, and {} sends {} B", room, words(send), sent);
    return fmt::format("it receives {} bytes, and rank {} sends {} (line {})", room, send.rank,
                       sent, (*place_)(send).line);
  }

  [[noreturn]] void fail_alone(NodeId id) const {
    const Node& one = node(id);
    if (one.kind == Node::Kind::send)
      fail(id, fmt::format("nobody receives this: rank {} has no receive left from rank {} with "
                           "tag {}",
                           one.peer, id.rank, one.tag));
    const std::string none = one.peer < 0 ? "no rank has a send left"
                                          : fmt::format("rank {} has no send left", one.peer);
    fail(id, fmt::format("nobody sends this: {} to rank {} with tag {}", none, id.rank, one.tag));
  }

  const traces::Trace* trace_;
  const std::function<Place(NodeId)>* place_;
  const std::function<std::string(NodeId)>* words_;
  std::map<std::tuple<int, int, int>, Flow> flows_;
  std::map<std::pair<int, int>, Flow> for_any_;  ///< by receiver and tag
  Table<std::vector<First>> collectives_;        ///< of each group
};

}  // namespace

Schedule checked(Layouts layouts, const Told& told) {
  const schedules::Order order = order_of(layouts.in_place);
  if (order.unmatched) fail_unmatched(layouts.in_place, *order.unmatched, told);
  if (!order.circle.empty()) fail_circle(layouts.in_place, order.circle, told);
  layouts.in_place.longest_chain = layouts.apart.longest_chain = order.longest_chain;
  if (layouts.for_two)
    if (const auto flaw = make_right(layouts.apart)) fail(told, *flaw);
  const auto flaw = make_right(layouts.in_place);
  if (flaw && layouts.for_one) fail(told, *flaw);
  return flaw ? std::move(layouts.apart) : std::move(layouts.in_place);
}

schedules::Chunks Placing::input(int rank, int first, int count) const {
  const int begin = collective == "allgather" ? rank * input_chunks() : 0;
  return {Buffer::data, begin + first, count};
}

schedules::Chunks Placing::output(int rank, int first, int count) const {
  const int begin = collective == "reduce_scatter" ? rank * output_chunks() : 0;
  return {output_is_apart() ? Buffer::scratch : Buffer::data, begin + first, count};
}

schedules::Chunks Placing::scratch(int first, int count) const {
  return {Buffer::scratch, first_of_scratch() + first, count};
}

void require_sound(const traces::Trace& trace, const std::function<Place(NodeId)>& place,
                   const std::function<std::string(NodeId)>& words) {
  Soundness(trace, place, words).require();
}

}  // namespace ringscope
