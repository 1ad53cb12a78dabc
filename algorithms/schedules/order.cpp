// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/schedules/order.hpp"

namespace ringscope::schedules {
namespace {

struct End {
  int step = 0;  ///< index in the graph
  int count = 1;
};

/// Messages of one pair of ranks and one tag, in the order of their steps.
struct Flow {
  std::vector<End> sends, receives;
};

struct Edge {
  int to = 0;
  Waits::For what{};
};

/// Steps as nodes, each with those that it waits for.
class StepGraph {
 public:
  explicit StepGraph(const Schedule& schedule) {
    for (int rank = 0; rank < std::ssize(schedule.ranks); ++rank) {
      const RankProgram& program = schedule.ranks[rank];
      Table<int> first;
      for (int block = 0; block < std::ssize(program.blocks); ++block) {
        first.push_back(static_cast<int>(ids_.size()));
        for (int step = 0; step < std::ssize(program.blocks[block].steps); ++step)
          ids_.push_back({rank, block, step});
      }
      waits_.resize(ids_.size());
      for (int block = 0; block < std::ssize(program.blocks); ++block)
        add_block(rank, program, block, first);
    }
  }

  std::optional<Unmatched> join_messages() {
    for (const auto& [key, flow] : flows_) {
      const auto [sender, receiver, tag] = key;
      const std::size_t common = std::min(flow.sends.size(), flow.receives.size());
      for (std::size_t i = 0; i < common; ++i) {
        const End &sent = flow.sends[i], &received = flow.receives[i];
        if (sent.count != received.count)
          return Unmatched{id(sent.step), id(received.step), Kind::send, receiver};
        waits_[received.step].push_back({sent.step, Waits::For::sender});
      }
      if (flow.sends.size() > common)
        return Unmatched{id(flow.sends[common].step), {}, Kind::send, receiver};
      if (flow.receives.size() > common)
        return Unmatched{id(flow.receives[common].step), {}, Kind::receive, sender};
    }
    return {};
  }

  /// Goes through all steps depth first; the longest chains on the way.
  Order search() {
    state_.assign(ids_.size(), State::unseen);
    chain_.assign(ids_.size(), 0);
    Order order;
    for (int root = 0; root < std::ssize(ids_); ++root) {
      if (!descend(root, order)) return order;
      order.longest_chain = std::max(order.longest_chain, chain_[root]);
    }
    return order;
  }

 private:
  enum class State : std::uint8_t { unseen, open, done };
  struct Frame {
    int step = 0;
    std::size_t next = 0;  ///< of its edges
  };

  const StepId& id(int step) const { return ids_[step]; }

  void add_block(int rank, const RankProgram& program, int block, const Table<int>& first) {
    const Table<Step>& steps = program.blocks[block].steps;
    for (int i = 0; i < std::ssize(steps); ++i) {
      const int here = first[block] + i;
      if (i > 0) waits_[here].push_back({here - 1, Waits::For::own});
      for (const After& after : steps[i].after)
        waits_[here].push_back({first[after.block] + signal(program, after), Waits::For::block});
      for (const Act& act : steps[i].acts) {
        if (act.kind == Kind::send)
          flows_[{rank, act.peer, act.tag}].sends.push_back({here, act.into.count});
        if (act.kind == Kind::receive)
          flows_[{act.peer, rank, act.tag}].receives.push_back({here, act.into.count});
      }
    }
  }

  /// The step that signals for the `signals`-th time.
  static int signal(const RankProgram& program, const After& after) {
    const Table<Step>& steps = program.blocks[after.block].steps;
    int left = after.signals, step = 0;
    while (!steps[step].signals || --left > 0) ++step;
    return step;
  }

  bool descend(int root, Order& order) {
    if (state_[root] == State::done) return true;
    std::vector<Frame> frames{{root}};
    state_[root] = State::open;
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const auto& edges = waits_[frame.step];
      if (frame.next == edges.size()) {
        finish(frame.step);
        frames.pop_back();
        continue;
      }
      const int to = edges[frame.next++].to;
      if (state_[to] == State::open) {
        note_circle(frames, to, order);
        return false;
      }
      if (std::exchange(state_[to], State::open) == State::unseen)
        frames.push_back({to});
      else
        state_[to] = State::done;
    }
    return true;
  }

  void finish(int step) {
    state_[step] = State::done;
    std::int64_t& longest = chain_[step];
    for (const Edge& edge : waits_[step])
      longest = std::max(longest, chain_[edge.to] + (edge.what == Waits::For::sender ? 1 : 0));
  }

  void note_circle(const std::vector<Frame>& frames, int to, Order& order) const {
    auto frame = std::ranges::find_if(frames, [&](const Frame& one) { return one.step == to; });
    for (; frame != frames.end(); ++frame)
      order.circle.push_back({id(frame->step), waits_[frame->step][frame->next - 1].what});
  }

  Table<StepId> ids_;
  Table<std::vector<Edge>> waits_;
  std::map<std::tuple<int, int, int>, Flow> flows_;  ///< by sender, receiver and tag
  Table<State> state_;
  Table<std::int64_t> chain_;
};

}  // namespace

Order order_of(const Schedule& schedule) {
  StepGraph graph(schedule);
  if (auto unmatched = graph.join_messages()) return {.unmatched = unmatched};
  return graph.search();
}

}  // namespace ringscope::schedules
