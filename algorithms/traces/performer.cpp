// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/traces/trace.hpp"

#include "algorithms/groups/on_group.hpp"

namespace ringscope::traces {
namespace {

/// Tags of collectives are below 0, those of messages are not: for each group as many as may be
/// in flight at once, and for each of these as many as an algorithm uses.
constexpr int tags_of_algorithm = 64, collectives_at_once = 64;

int tag_of(int group, int number_in_group) {
  const int turn = number_in_group % collectives_at_once;
  return -((group * collectives_at_once + turn + 1) * tags_of_algorithm);
}

/// Nodes of a rank with what they work on.
class RankWork {
 public:
  RankWork(const Trace& trace, Communicator comm, Workspace work, Options options)
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
  RankWork& operator=(RankWork&&) = delete;  ///< neither copied nor moved

  const Table<Node>& nodes() const { return *nodes_; }
  const Node& node(int number) const { return (*nodes_)[number]; }

  /// Begins a message, and says so.
  Request post(Communicator comm, int number) const {
    const Node& one = node(number);
    const std::size_t items = one.items;
    if (!trace_->of_goal) mark(comm, number);
    if (one.kind == Node::Kind::receive)
      return comm.irecv({work_.scratch.buffer, places_[number], items}, one.peer, one.tag);
    return comm.isend(work_.data.first(items), one.peer, one.tag);
  }

  Task collective(Communicator comm, int number) const {
    const Node& one = node(number);
    const TraceGroup& group = trace_->groups[one.group];
    const Communicator members = comm.group(group.ranks, group.name, tags_[number]);
    const std::size_t items = one.items, place = places_[number];
    Options options = options_;
    options.root = one.root;
    options.given.stream = one.lane;
    const Workspace own = {
        {work_.scratch.buffer, place, items},
        {work_.scratch.buffer, place + items, room_of(one, *trace_, options) - items}};
    return on_group(members, *one.algorithm, own, options);
  }

  /// A node that is neither a message nor a collective.
  Pending pass(Communicator comm, int number) const {
    const Node& one = node(number);
    return one.kind == Node::Kind::compute ? comm.compute(one.time) : comm.sleep(one.time);
  }

  /// Says in reports where the rank stands.
  void mark(Communicator comm, int number) const {
    static constexpr Array<std::string_view, 4> phases = {"compute", "delay", "send", "receive"};
    static constexpr Array<std::string_view, 4> of_goal = {"calculate", "", "messages", "messages"};
    const Node& one = node(number);
    const std::string_view phase = one.kind == Node::Kind::collective ? one.algorithm->collective
                                   : trace_->of_goal                  ? of_goal[one.kind]
                                                                      : phases[one.kind];
    comm.enter(phase, number);
  }

 private:
  const Trace* trace_;
  const Table<Node>* nodes_;
  Workspace work_;
  Options options_;
  Table<std::size_t> places_;  ///< in scratch space
  Table<int> tags_;            ///< of collectives
};

/// Messages of a rank of several lanes that may be in flight.
constexpr int most_carriers = 64;

// A rank of several lanes: each is a thread of the rank; further threads, the carriers, see to its
// messages. A thread waits on a flag that is raised once for each node that becomes free.

std::ptrdiff_t messages_of(const std::vector<Node>& nodes) {
  return std::ranges::count_if(nodes, is_message);
}

class Lanes {
 public:
  Lanes(const RankWork* work, int lanes)
      : work_(work),
        dependences_(work->nodes(), lanes),
        messages_{lanes},
        left_(messages_of(work->nodes())) {}

  void begin(Communicator comm) { announce(comm, dependences_.free_at_start()); }

  Task run_lane(Communicator comm, int lane) {
    const auto all = std::ranges::count_if(work_->nodes(), [&](const Node& node) {
      return !is_message(node) && node.kind != Node::Kind::order && node.lane == lane;
    });
    for (std::ptrdiff_t taken = 1; taken <= all; ++taken) {
      co_await comm.reach(Flag{lane}, taken);
      const int number = dependences_.next(lane);
      const Node& node = work_->node(number);
      begin(comm, number);
      if (node.kind == Node::Kind::collective) {
        co_await work_->collective(comm, number);
      } else {
        work_->mark(comm, number);
        if (node.time.count() > 0) co_await work_->pass(comm, number);
      }
      end(comm, number);
    }
  }

  /// Carriers that the flag wakes go on one after the other, and each takes the first message that
  /// is free: so messages are posted in the order of the file.
  Task carry(Communicator comm) {
    while (left_ > 0) {
      co_await comm.reach(messages_, taken_ + 1);
      if (left_ == 0 || !dependences_.has_message()) continue;
      ++taken_;
      if (--left_ == 0) comm.raise(messages_);  // the others have nothing left to wait for
      const int number = dependences_.next_message();
      const Request request = work_->post(comm, number);
      begin(comm, number);
      co_await comm.wait(request);
      end(comm, number);
    }
  }

 private:
  void begin(Communicator comm, int number) { announce(comm, dependences_.begin(number)); }
  void end(Communicator comm, int number) { announce(comm, dependences_.end(number)); }

  void announce(Communicator comm, const std::vector<int>& freed) {
    for (const int number : freed) {
      const Node& node = work_->node(number);
      comm.raise(is_message(node) ? messages_ : Flag{node.lane});
    }
  }

  const RankWork* work_;
  Dependences dependences_;
  Flag messages_;
  std::ptrdiff_t left_ = 0, taken_ = 0;  ///< messages, not yet and already begun
};

// A rank of one lane: a program of one thread.

/// Posts all messages that are free, then does the next node, else waits.
class Program {
 public:
  Program(Communicator comm, const RankWork* work)
      : comm_(comm), work_(work), dependences_(work->nodes(), 1) {}

  Task run() {
    while (dependences_.ended() < dependences_.size()) {
      while (dependences_.has_message()) post(dependences_.next_message());
      if (dependences_.has(0)) {
        const int number = dependences_.next(0);
        const Node& node = work_->node(number);
        dependences_.begin(number);
        if (node.kind == Node::Kind::collective) {
          co_await collective(number);
          continue;
        }
        work_->mark(comm_, number);
        if (node.time.count() > 0) co_await work_->pass(comm_, number);
        dependences_.end(number);
        continue;
      }
      assert((!requests_.empty() || !collectives_.empty()) && "a trace has no circles");
      const auto awaited = awaited_collective();
      if (awaited != collectives_.end()) {
        co_await join(awaited - collectives_.begin());
        continue;
      }
      work_->mark(comm_, posted_.front());
      const auto done = co_await comm_.wait_any(requests_);
      dependences_.end(posted_[done]);
      requests_.erase(requests_.begin() + done);
      posted_.erase(posted_.begin() + done);
    }
  }

 private:
  struct Collective {
    int node;
    Thread thread;
  };
  using Collectives = Table<Collective>;

  void post(int number) {
    requests_.push_back(work_->post(comm_, number));
    posted_.push_back(number);
    dependences_.begin(number);
  }

  Task collective(int number) {
    if (work_->node(number).nonblocking) {
      if (std::ssize(collectives_) == most_in_flight) co_await join(0);
      Task text = work_->collective(comm_.beside(Beside::nonblocking), number);
      collectives_.push_back({number, comm_.start(std::move(text), Beside::nonblocking)});
      co_return;
    }
    co_await work_->collective(comm_, number);
    dependences_.end(number);
  }

  /// The next node in the file says what the program waits for.
  Collectives::const_iterator awaited_collective() {
    const int next = dependences_.first_waiting();
    return std::ranges::find_if(std::as_const(collectives_), [&](const Collective& one) {
      return requests_.empty() ||
             (next >= 0 && std::ranges::count(work_->node(next).after, one.node) > 0);
    });
  }

  Task join(std::ptrdiff_t which) {
    const Collective one = collectives_[which];
    work_->mark(comm_, one.node);
    co_await comm_.join(one.thread);
    collectives_.erase(collectives_.begin() + which);
    dependences_.end(one.node);
  }

  Communicator comm_;
  const RankWork* work_;
  Dependences dependences_;
  std::vector<Request> requests_;
  Table<int> posted_;  ///< nodes, by request
  Collectives collectives_;
};

}  // namespace

std::size_t room_of(const Node& node, const Trace& trace, const Options& options) {
  if (node.kind == Node::Kind::receive) return node.items;
  if (node.kind != Node::Kind::collective) return 0;
  const auto& group = trace.groups[node.group];
  return node.items + scratch_on_group(*node.algorithm, static_cast<int>(group.ranks->size()),
                                       node.items, without_hosts(options));
}

int carriers_of(const Trace& trace) {
  std::ptrdiff_t most = 0;
  for (const auto& nodes : trace.ranks) most = std::max(most, messages_of(nodes));
  return static_cast<int>(std::min<std::ptrdiff_t>(most, most_carriers));
}

Task run_lanes(Communicator comm, Workspace work, Options options) {
  const Trace& trace = *options.schedule->trace;
  const RankWork rank(trace, comm, work, options);
  const int lanes = lanes_of(trace), carriers = carriers_of(trace);
  Lanes all(&rank, lanes);
  all.begin(comm);
  std::vector<Thread> others;
  for (int lane = 1; lane < lanes; ++lane)
    others.push_back(comm.start(all.run_lane(comm.thread(lane), lane)));
  for (int i = 0; i < carriers; ++i)
    others.push_back(comm.start(all.carry(comm.thread(lanes + i))));
  co_await all.run_lane(comm, 0);
  for (const Thread other : others) co_await comm.join(other);
}

Task run_program(Communicator comm, Workspace work, Options options) {
  const RankWork rank(*options.schedule->trace, comm, work, options);
  Program program(comm, &rank);
  co_await program.run();
}

}  // namespace ringscope::traces
