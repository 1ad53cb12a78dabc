// SPDX-License-Identifier: LGPL-2.1-or-later
// The verbs of a thread that are not performed yet.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cassert>
#include <coroutine>
#include <cstddef>
#include <cstdint>

#include "algorithms/verbs/communicator.hpp"

namespace ringscope::sim {

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

  static void visit(auto& self, auto& fields) {  // sim/mpi/state_fields.hpp
    // How much of what it waits for is `complete` is asked of the requests; `partner_before` serves
    // the account alone.
    auto& [asked, waiter, since, partner_before, request, other_request, multicast, complete, verb,
           state, starts] = self;
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
  void post(Verb verb, int request) { add({request, verb, false}); }
  void post_start() { add({-1, {}, true}); }
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
  };
  static PendingVerb pending(const Posted& posted) {
    const auto& [request, verb, starts] = posted;
    return {.request = request, .verb = verb, .starts = starts};
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

}  // namespace ringscope::sim
