// SPDX-License-Identifier: LGPL-2.1-or-later
// Verbs of a rank: MPI's point-to-point verbs on ranges, and the local verbs beside them.
//
// An algorithm holds a Communicator by value and writes `co_await comm.send(range, peer)`. Each
// verb becomes one Operation that an executor performs: the loopback executor with data and no
// clock, the simulator with a clock and no data, a replay with the MPI call of that name.
#pragma once

#include <algorithm>
#include <cassert>
#include <coroutine>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/verbs/operation.hpp"
#include "algorithms/verbs/task.hpp"

namespace ringscope {

class PendingSplit;

/// A cheap handle: the group of ranks as one of them (or one of its threads) sees it.
class Communicator {
 public:
  explicit Communicator(Executor& executor) : executor_(&executor) {}

  int rank() const { return group_ ? group_->self : executor_->rank(); }
  int size() const { return group_ ? static_cast<int>(group_->ranks->size()) : executor_->size(); }
  int next() const { return (rank() + 1) % size(); }
  int prev() const { return (rank() + size() - 1) % size(); }
  /// A rank of this communicator as the communicator of all ranks numbers it.
  int rank_in_all(int rank) const { return whole(rank); }
  /// All its ranks in that numbering; null where it is of all ranks.
  const std::vector<int>* ranks_in_all() const { return group_ ? group_->ranks.get() : nullptr; }

  /// The steps 0..count-1 of a phase, for `for (int step : comm.phase("allgather", n))`.
  Steps phase(std::string_view name, int count) const { return {executor_, name, count, part()}; }
  /// Enters a phase without steps, or before its steps; or the step, of one whose steps have no
  /// order.
  void enter(std::string_view name, int step = 0, SourceLine where = {}) const {
    executor_->mark({name, step, part(), where});
  }

  /// The communicator of some of these ranks, in the given order; this rank must be one of them.
  /// `part` says in reports what is done among them. Groups that share two ranks and are at work
  /// at the same time need different tags.
  Communicator among(const std::vector<int>& ranks, std::string_view part, int tag = 0) const {
    return group(std::make_shared<const Table<int>>(ranks), part, tag);
  }
  /// The same of a list that is kept once: 65,536 ranks with a list each would fill the memory.
  Communicator group(const SharedRanks& ranks, std::string_view part, int tag = 0) const {
    const auto self = std::ranges::find(*ranks, rank());
    assert(self != ranks->end() && "a rank talks in groups that it belongs to");
    return group(ranks, static_cast<int>(self - ranks->begin()), part, tag);
  }
  /// The same where this rank's place in the list is known.
  Communicator group(const SharedRanks& ranks, int self, std::string_view part, int tag) const {
    assert((*ranks)[self] == rank() && "its own place");
    auto group = std::make_shared<Group>();
    group->part = part;
    group->tag = whole_tag(tag);
    group->self = self;
    group->ranks = group_ ? group_->numbers_of(*ranks) : ranks;
    Communicator smaller = *this;
    smaller.group_ = std::move(group);
    return smaller;
  }

  /// The communicator of the ranks that call with the same colour, in the order of their keys and
  /// then ranks: MPI_Comm_split. Every rank of this one calls it, and goes on when all have; it
  /// takes no time else. Messages of the new communicator match none of another's.
  PendingSplit split(int colour, int key, std::string_view part = {}) const;
  /// The same where any rank can tell the colour and key of each: nobody waits for the others.
  PendingSplit split(const Sides& sides, std::string_view part = {}) const;

  /// A collective on a group, for an executor that may know how long it takes.
  GroupCall call_of(const void* algorithm, std::size_t items) const {
    return {algorithm, items, whole_tag(0), ranks_in_all(), rank()};
  }
  bool may_know(const GroupCall& call) const { return executor_->may_know(call); }
  void has_ended(const GroupCall& call) const { executor_->has_ended(call); }
  /// Waits until all ranks of the group have come, and then as long as the collective takes, which
  /// has to be known.
  Pending meet(const GroupCall& call) const {
    return {executor_, {.verb = Verb::meet, .call = &call}};
  }

  [[nodiscard]] Request isend(Range range, int to, int tag = 0,
                              SourceLine where = SourceLine::here()) const {
    return post(Verb::isend, range, to, tag, where);
  }
  [[nodiscard]] Request irecv(Range into, int from, int tag = 0,
                              SourceLine where = SourceLine::here()) const {
    return post(Verb::irecv, into, from, tag, where);
  }
  /// The same rank as a block of a GPU's kernel, whose verbs are isend, irecv, reduce and copy.
  Communicator inside(Block block) const {
    Communicator same = *this;
    same.block_ = block;
    same.block_.communicator = number_;
    return same;
  }
  /// The same group, whose kernels are of the library's communicator of that number.
  Communicator numbered(int number) const {
    Communicator same = *this;
    same.number_ = number;
    return same;
  }
  /// False where of channels that do the same the first is performed for all.
  bool performs_alike() const { return executor_->performs_alike(); }
  /// The block begins; `launched`: it waits for its kernel's launch, too. Nothing but time.
  Pending begin_block(bool launched) const {
    return {
        executor_,
        {.verb = Verb::copy, .tag = whole_tag(0), .count = launched ? 1u : 0u, .block = block_}};
  }
  /// Until so long after the rank's program began; no time where that is past.
  Pending outlast(Duration time) const { return {executor_, {.verb = Verb::copy, .time = time}}; }
  /// The block has done its work, and leaves its SM to others. Takes no time.
  void end_block() const { executor_->end_block(); }

  Pending send(Range range, int to, int tag = 0) const {
    return {executor_, message(Verb::send, range, to, tag)};
  }
  /// Yields the number of items that came, as MPI_Get_count does.
  Pending recv(Range into, int from, int tag = 0) const {
    return {executor_, message(Verb::recv, into, from, tag)};
  }
  /// The same of the message for whose content the program has waited, however early it came: for
  /// reports, the critical path goes on from its sender.
  Pending recv_decisive(Range into, int from) const {
    Operation decisive = message(Verb::recv, into, from, 0);
    decisive.decides = true;
    return {executor_, decisive};
  }
  Pending sendrecv(Range range, int to, Range into, int from, int tag = 0) const {
    Operation both = message(Verb::sendrecv, range, to, tag);
    both.other = into;
    both.other_peer = whole(from);
    return {executor_, both};
  }
  /// One message that the network copies to all receivers, each of which receives it as any other.
  Pending multicast(Range range, std::span<const int> receivers, int tag = 0) const {
    std::vector<int> all(receivers.begin(), receivers.end());
    for (int& receiver : all) receiver = whole(receiver);
    return {executor_,
            {.verb = Verb::multicast, .range = range, .tag = whole_tag(tag)},
            std::move(all)};
  }
  Pending wait(Request request) const { return {executor_, {.verb = Verb::wait}, request}; }
  /// The requests must outlive the await: name them in the program.
  Pending wait_all(std::span<const Request> requests) const {
    return {executor_, {.verb = Verb::wait_all, .requests = requests}};
  }
  /// Yields the index of one completed request.
  Pending wait_any(std::span<const Request> requests) const {
    return {executor_, {.verb = Verb::wait_any, .requests = requests}};
  }
  /// Yields 1 when the request is complete (and then it is used up), else 0.
  Pending test(Request request) const { return {executor_, {.verb = Verb::test}, request}; }

  /// into += from, item by item; both have into.size items. `stays`: a block does not add them on
  /// the way to a partner.
  Pending reduce(Range into, Range from, bool stays = false) const {
    return {executor_,
            {.verb = Verb::reduce,
             .range = into,
             .other = from.first(into.size),
             .count = stays ? 1u : 0u,
             .block = block_}};
  }
  Pending copy(Range into, Range from) const {
    return {executor_,
            {.verb = Verb::copy, .range = into, .other = from.first(into.size), .block = block_}};
  }
  /// `bytes` that it reads and writes meanwhile in the memory of its GPU; 0: nobody says.
  Pending compute(Duration time, std::size_t bytes = 0) const {
    return {executor_, {.verb = Verb::compute, .time = time, .count = bytes}};
  }

  /// Time passes without work: of a thread that waits for a clock.
  Pending sleep(Duration time) const { return {executor_, {.verb = Verb::sleep, .time = time}}; }
  /// The rank's host prepares `records` of its input, in `time` with its other devices beside.
  Pending prepare(int records, Duration time) const {
    return {executor_,
            {.verb = Verb::sleep, .time = time, .count = static_cast<std::size_t>(records)}};
  }
  /// Reads `items` items from storage, or writes them there.
  Pending load(std::size_t items) const {
    return {executor_, {.verb = Verb::load, .count = items}};
  }
  Pending store(std::size_t items) const {
    return {executor_, {.verb = Verb::store, .count = items}};
  }

  /// The same rank as its thread `index` sees it; the thread that starts it gives it this.
  Communicator thread(int index) const { return on(executor_->thread(index)); }
  [[nodiscard]] Thread start(Task body) const {
    return executor_->start(std::move(body), Beside::thread);
  }
  /// The same rank as the thread, or the non-blocking collective, sees it that is started next.
  Communicator beside(Beside how) const { return on(executor_->thread(executor_->next_free(how))); }
  [[nodiscard]] Thread start(Task body, Beside how) const {
    return executor_->start(std::move(body), how);
  }
  Pending join(Thread thread) const { return {executor_, {.verb = Verb::join, .thread = thread}}; }

  void raise(Flag flag) const { executor_->raise(flag); }
  /// Waits until the flag has been raised `count` times since the rank's program began.
  Pending reach(Flag flag, std::integral auto count) const {
    return {executor_,
            {.verb = Verb::reach, .flag = flag, .count = static_cast<std::size_t>(count)}};
  }

  /// One value of something that reports shall tell; it costs nothing.
  void observe(std::string_view what, double value) const { executor_->observe(what, value); }

 private:
  int whole(int peer) const { return group_ && peer != any_source ? (*group_->ranks)[peer] : peer; }
  std::string_view part() const { return group_ ? group_->part : std::string_view(); }
  Tag whole_tag(int tag) const {
    Tag whole = group_ ? Tag(tag + group_->tag.number, group_->tag.context) : Tag(tag);
    whole.protocol = block_.protocol;
    return whole;
  }
  Operation message(Verb verb, Range range, int peer, int tag) const {
    return {.verb = verb, .range = range, .peer = whole(peer), .tag = whole_tag(tag)};
  }
  Request post(Verb verb, Range range, int peer, int tag, SourceLine where) const {
    Operation posted = message(verb, range, peer, tag);
    posted.block = block_;
    posted.where = where;
    return executor_->post(posted);
  }
  Communicator on(Executor& executor) const {
    Communicator same = *this;
    same.executor_ = &executor;
    return same;
  }

  Executor* executor_;
  Block block_;
  int number_ = 0;                      ///< of the library's communicator
  std::shared_ptr<const Group> group_;  ///< null: all ranks
  friend class PendingSplit;
};

/// `co_await`ing it yields the communicator of the caller's group.
class [[nodiscard]] PendingSplit {
 public:
  PendingSplit(const Communicator& comm, int colour, int key, std::string_view part)
      : comm_(comm), call_{colour, key, comm.rank(), comm.size(), comm.group_, part} {}
  PendingSplit(const Communicator& comm, Sides sides, std::string_view part)
      : PendingSplit(comm, 0, 0, part) {
    sides_ = std::move(sides);
    const auto [colour, key] = sides_(call_.self);
    call_.colour = colour, call_.key = key;
    call_.sides = &sides_;
  }
  PendingSplit& operator=(PendingSplit&&) = delete;  ///< neither copied nor moved

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter, SourceLine where = SourceLine::here()) {
    operation_.where = where;
    operation_.verb = Verb::split;
    operation_.split = &call_;
    return comm_.executor_->perform(operation_, waiter);
  }
  Communicator await_resume() {
    comm_.group_ = call_.group;
    return comm_;
  }

 private:
  Communicator comm_;
  Sides sides_;
  SplitCall call_;
  Operation operation_;
};

inline PendingSplit Communicator::split(int colour, int key, std::string_view part) const {
  return {*this, colour, key, part};
}
inline PendingSplit Communicator::split(const Sides& sides, std::string_view part) const {
  return {*this, sides, part};
}

}  // namespace ringscope
