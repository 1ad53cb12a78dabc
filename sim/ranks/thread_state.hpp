// SPDX-License-Identifier: LGPL-2.1-or-later
// State of one thread of a rank, member by member. A class of its own: one whose bases have members
// cannot be bound in a visit().
#pragma once

#include <boost/container/small_vector.hpp>

#include <cassert>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/verbs/communicator.hpp"
#include "base/table.hpp"
#include "sim/ranks/run.hpp"

namespace ringscope::sim {

// The verbs of a thread that are not performed yet.

/// A verb that waits for its turn, or is in progress.
struct PendingVerb {
  /// Progress of a verb. Not all verbs come through all states.
  enum class State : std::uint8_t {
    queued,          ///< waits for its turn
    receive_posted,  ///< recv, sendrecv
    preparing,       ///< the overhead of a send
    copying,         ///< of an eager message, where that uses memory too
    following,       ///< the copy of what is not on the wire yet
    launched,        ///< a send
    working,         ///< a local verb
    completing       ///< the wait is over; CPU time is left
  };

  Operation* asked = nullptr;        ///< null for isend and irecv: their request says it all
  std::coroutine_handle<> waiter{};  ///< null for isend and irecv
  double since = -1;                 ///< s: when it began to block; -1: it has not
  double partner_before = 0;         ///< s: waits for partners of the thread to join, until then
  int request = -1, other_request = -1;
  int multicast = -1;        ///< the first of its messages
  std::size_t complete = 0;  ///< of what it waits for: the first ones, as far as known to be
  Verb verb{};
  State state = State::queued;
  bool starts = false;  ///< no verb: the call that starts a non-blocking collective
  SourceLine where{};

  static void visit(auto& self, auto& fields) {  // sim/mpi/state_fields.hpp
    // How much of what it waits for is `complete` is asked of the requests; `partner_before` serves
    // the account alone, `where` pictures.
    auto& [asked, waiter, since, partner_before, request, other_request, multicast, complete, verb,
           state, starts, where] = self;
    fields.exact(static_cast<int>(verb), starts);
    fields.posting(request);
    fields.posting(other_request);
    if (asked != nullptr) fields.exact(asked->range.size, asked->requests.size());
    fields.exact(static_cast<int>(state), multicast < 0);
    fields.date(since);
  }
};

/// The verbs of a thread in their order. A program posts as many as it likes and then waits for one
/// of them, which is the last: of the others, which may be thousands, only what tells them apart is
/// kept until their turn.
class VerbQueue {
 public:
  bool empty() const { return !any_; }
  std::size_t size() const {
    return (any_ ? 1u : 0u) + posted_.size() - first_ + (asks_ ? 1u : 0u);
  }
  /// The one whose turn it is. Requires that there is one, as pop() does.
  PendingVerb& front() { return front_; }
  const PendingVerb& front() const { return front_; }

  /// An isend or irecv, or the call that starts a non-blocking collective.
  void post(Verb verb, int request, SourceLine where) { add({request, verb, false, where}); }
  void post_start() { add({-1, {}, true, {}}); }
  /// The verb for which the program waits.
  void ask(const PendingVerb& verb) {
    asks_ = any_;
    (any_ ? asked_ : front_) = verb;
    any_ = true;
  }
  void pop() {
    if (first_ < posted_.size()) {
      front_ = pending(posted_[first_++]);
      drop_performed();
    } else if (asks_) {
      front_ = asked_;
      asks_ = false;
    } else {
      any_ = false;
    }
  }
  void clear() { *this = {}; }

  static void visit(auto& self, auto& fields) {
    auto& [front, asked, any, asks, posted, first] = self;
    fields.exact(self.size());
    if (any) PendingVerb::visit(front, fields);
    for (std::size_t i = first; i < posted.size(); ++i) {
      PendingVerb next = pending(posted[i]);
      PendingVerb::visit(next, fields);
    }
    if (asks) PendingVerb::visit(asked, fields);
  }

 private:
  struct Posted {
    int request = -1;
    Verb verb{};
    bool starts = false;
    SourceLine where{};
  };
  static PendingVerb pending(const Posted& posted) {
    const auto& [request, verb, starts, where] = posted;
    return {.request = request, .verb = verb, .starts = starts, .where = where};
  }
  void add(const Posted& posted) {
    assert(!asks_ && "nothing comes behind what the program waits for");
    if (any_)
      posted_.push_back(posted);
    else
      front_ = pending(posted);
    any_ = true;
  }
  // A rank that posts thousands of messages keeps no room for them.
  void drop_performed() {
    constexpr std::size_t many = 64;
    if (first_ == posted_.size())
      posted_.clear();
    else if (first_ >= many && 2 * first_ >= posted_.size())
      posted_.erase(posted_.begin(), posted_.begin() + static_cast<std::ptrdiff_t>(first_));
    else
      return;
    if (posted_.capacity() > many) posted_.shrink_to_fit();
    first_ = 0;
  }

  PendingVerb front_, asked_;
  bool any_ = false, asks_ = false;
  boost::container::small_vector<Posted, 2> posted_;  ///< between those two
  std::size_t first_ = 0;                             ///< of posted_: those before it are performed
};

class ThreadState {
 protected:
  ThreadState(Run& run, int index, RankThread& first);

  // Position in the program and accounts are RankThread's to describe and to skip.
  static void visit(auto& self, auto& fields) {  // sim/mpi/state_fields.hpp
    auto& [run, index, threads, first, body, verbs, missing, finished, in_use, on_cpu, in_blocks,
           cpu_cause, tail_share, tail_cause, held_since, held_from, taken_before, joiner, mark,
           phase, step, steps, skipped, performed, step_began, loop, activity, blocked_by,
           activity_since, finish_time, began, block_ended, partner_until, slept_since, slept,
           seconds, waited_for, in_groups, queued, others, flags, reached, reached_at,
           reached_flag] = self;
    fields.exact(finished, in_use, missing, joiner == nullptr, on_cpu, static_cast<int>(activity));
    fields.date(activity_since);
    if (on_cpu) {
      fields.exact(static_cast<int>(cpu_cause), static_cast<int>(tail_cause));
      fields.amount(tail_share);
    }
    fields.exact(flags.size());
    for (const auto& [raised, since, path, group] : flags) fields.exact(raised);
    VerbQueue::visit(verbs, fields);
  }

  Run* run_;
  int index_;
  int threads_ = 1;         ///< of this rank; those behind them are non-blocking collectives
  RankThread* first_;       ///< of this rank; itself for the first
  std::vector<Task> body_;  ///< one, or none
  VerbQueue verbs_;
  int missing_ = 0;  ///< awaited and not complete; see await_all()
  bool finished_ = true;
  bool in_use_ = false;  ///< of a further thread: started and not yet joined
  bool on_cpu_ = false;
  int in_blocks_ = 0;  ///< that it performs, or that do what one does
  Cause cpu_cause_{};
  /// Tail of the CPU time in progress: the copy or the pinning that follows the overhead, the noise
  /// after a computation.
  double tail_share_ = 0;
  Cause tail_cause_ = Cause::copy;
  double held_since_ = -1;   ///< s: when a detour kept it from going on, last; -1: none does
  double held_from_ = -1;    ///< s: the same, of this turn
  double taken_before_ = 0;  ///< s: by detours, when the CPU time in progress began
  RankThread* joiner_ = nullptr;
  Mark mark_;
  int phase_ = -1;
  /// Step of a phase whose steps are alike, from its second one on; else 0.
  int step_ = 0, steps_ = 0;
  int skipped_ = 0;               ///< steps that the next one comes later
  std::uint64_t performed_ = 0;   ///< verbs: the position in a program without such steps
  std::uint64_t step_began_ = 0;  ///< the same, when the step did
  std::uint64_t loop_ = 0;        ///< and when the second of these steps did
  RankActivity activity_ = RankActivity::idle;
  Cause blocked_by_ = Cause::partner;  ///< while that is one thing
  double activity_since_ = 0;
  double finish_time_ = 0;
  double began_ = 0;          ///< s: its program, the last time
  double block_ended_ = 0;    ///< s: the last one
  double partner_until_ = 0;  ///< s: when the last wait for a partner ended
  double slept_since_ = 0;    ///< s: its last sleep began, or that of a thread that it waited for
  std::uint64_t slept_ = 0;   ///< performed_ when that ended
  Array<double, activity_names.size()> seconds_{};
  CauseSeconds waited_for_{};
  GroupTimes in_groups_;
  bool queued_ = false;  ///< in the run's ready queue

  // Cold members last.
  Table<std::unique_ptr<RankThread>> others_;
  Table<FlagState> flags_;  ///< of the first thread, for all; none before the first is used
  PathCursor reached_;      ///< when it last found a flag raised while it slept
  double reached_at_ = -1;  ///< s: the date of that; -1: not since it slept last
  std::pair<int, std::size_t> reached_flag_;  ///< that flag, and the count
};

}  // namespace ringscope::sim
