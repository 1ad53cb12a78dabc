// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include "algorithms/loopback/loopback_rank.hpp"
#include "algorithms/loopback/posts.hpp"

namespace ringscope::loopback {
namespace {

std::string describe(const Range& range) {
  return fmt::format("{}[{}, {})", range.buffer == Buffer::data ? "data" : "scratch", range.offset,
                     range.offset + range.size);
}

/// Condition that a posted operation needs in order to complete.
std::string describe_need(const Operation& posted) {
  const std::string items =
      fmt::format("{} item{}", posted.range.size, posted.range.size == 1 ? "" : "s");
  if (posted.verb == Verb::isend) return fmt::format("rank {} to receive {}", posted.peer, items);
  return posted.peer == any_source ? items + " from any rank"
                                   : fmt::format("{} from rank {}", items, posted.peer);
}

}  // namespace

int LoopbackThread::size() const { return world_.size(); }

Request LoopbackThread::post(const Operation& operation) {
  check(operation);
  Rank& self = world_.rank(rank_);
  const int slot = self.take_slot(operation);
  if (operation.verb == Verb::isend) {
    self.last_sent = std::max(clock_, self.last_sent) + 1;
    world_.send(rank_, slot, self.last_sent);
  } else {
    world_.receive(rank_, slot);
  }
  return {slot};
}

bool LoopbackThread::perform(Operation& operation, std::coroutine_handle<> waiter) {
  operation_ = &operation;
  waiter_ = waiter;
  awaited_.assign(operation.requests.begin(), operation.requests.end());
  switch (operation.verb) {
    case Verb::reduce:
    case Verb::copy:
      check(operation);
      apply(operation);
      break;
    case Verb::send:
      awaited_ = {post(isend_of(operation))};
      break;
    case Verb::recv:
      awaited_ = {post(irecv_of(operation))};
      break;
    case Verb::sendrecv: {
      const Request incoming = post(irecv_of(operation));
      awaited_ = {incoming, post(isend_of(operation))};
      break;
    }
    case Verb::multicast:
      check(operation);
      multicast(operation);
      break;
    case Verb::split:
      check(operation);
      world_.split(operation, *this);
      break;
    case Verb::wait:
    case Verb::wait_all:
    case Verb::wait_any:
    case Verb::test:
    case Verb::compute:
    case Verb::meet:
    case Verb::join:
    case Verb::sleep:
    case Verb::load:
    case Verb::store:
    case Verb::reach:
      check(operation);
      break;
    case Verb::isend:
    case Verb::irecv:
      assert(false && "isend and irecv are posted");
  }
  if (operation.verb == Verb::test) return !test();
  if (!ready()) return true;
  finish();
  return false;
}

/// True when the thread may go on at once; else the others run first, or it might spin for ever.
bool LoopbackThread::test() {
  operation_->result = slot(awaited_[0]).complete ? 1 : 0;
  if (operation_->result == 1) {
    finish();
    return true;
  }
  world_.note_fruitless_test();
  world_.make_runnable(*this);
  return false;
}

void LoopbackThread::multicast(const Operation& operation) {
  Rank& self = world_.rank(rank_);
  self.last_sent = std::max(clock_, self.last_sent) + 1;
  world_.multicast(rank_, operation, self.last_sent);
}

void LoopbackThread::raise(Flag flag) {
  if (flag.index < 0 || flag.index >= most_flags)
    refuse(fmt::format("raises flag {} of {}", flag.index, most_flags));
  Raised& raised = world_.rank(rank_).flag(flag);
  ++raised.times;
  raised.clock = std::max(raised.clock, clock_);
  world_.wake(rank_);
}

void LoopbackThread::observe(std::string_view what, double value) { world_.observe(what, value); }

bool LoopbackThread::ready() const {
  const auto complete = [&](Request request) { return slot(request).complete; };
  if (operation_->verb == Verb::join) return world_.thread(rank_, operation_->thread.index).ended();
  if (operation_->verb == Verb::reach)
    return world_.rank(rank_).flag(operation_->flag).times >= operation_->count;
  if (operation_->verb == Verb::split) return operation_->split->group != nullptr;
  if (operation_->verb == Verb::wait_any) return std::ranges::any_of(awaited_, complete);
  return std::ranges::all_of(awaited_, complete);
}

void LoopbackThread::finish() {
  if (operation_->verb == Verb::join) {
    LoopbackThread& other = world_.thread(rank_, operation_->thread.index);
    clock_ = std::max(clock_, other.clock_);
    other.task_.reset();
  } else if (operation_->verb == Verb::reach) {
    clock_ = std::max(clock_, world_.rank(rank_).flag(operation_->flag).clock);
  } else if (operation_->verb == Verb::wait_any) {
    const auto first =
        std::ranges::find_if(awaited_, [&](Request request) { return slot(request).complete; });
    operation_->result = static_cast<int>(first - awaited_.begin());
    take(*first);
  } else {
    for (const Request request : awaited_) {
      const Slot& done = slot(request);
      if (done.operation.verb == Verb::irecv) operation_->result = static_cast<int>(done.items);
      take(request);
    }
  }
  operation_ = nullptr;
}

/// Uses a completed request up.
void LoopbackThread::take(Request request) {
  slot(request);
  Rank& self = world_.rank(rank_);
  Slot& done = self.slots[request.slot];
  clock_ = std::max(clock_, done.round);
  for (std::size_t i = 0; i < done.heard.size(); ++i)
    if (done.heard[i]) self.heard[i] = true;
  done = Slot{};
}

const Slot& LoopbackThread::slot(Request request) const {
  const auto& slots = world_.rank(rank_).slots;
  if (!slots.has(request.slot) || !slots[request.slot].used)
    refuse("waits for a request that is not outstanding");
  return slots[request.slot];
}

void LoopbackThread::apply(const Operation& operation) {
  Rank& self = world_.rank(rank_);
  const std::span<const float> from = self.items(operation.other);
  const std::span<float> into = self.writable(operation.range);
  if (operation.verb == Verb::copy)
    std::copy(from.begin(), from.end(), into.begin());
  else
    std::transform(into.begin(), into.end(), from.begin(), into.begin(), std::plus{});
}

void LoopbackThread::check(const Operation& operation) const {
  if (world_.running() != this) refuse("is used by a program that runs as another thread");
  Rank& self = world_.rank(rank_);
  const auto check_range = [&](const Range& range, bool writing) {
    if (!self.contains(range))
      refuse(fmt::format("names {}, which it does not have", describe(range)));
    if (const Operation* other = self.in_flight(range, writing))
      refuse(fmt::format("{} {} while {} is outstanding", writing ? "writes" : "reads",
                         describe(range), describe(other->range)));
  };
  const auto check_peer = [&](bool may_be_any) {
    const bool any = may_be_any && operation.peer == any_source;
    if (!any && (operation.peer < 0 || operation.peer >= size()))
      refuse(fmt::format("names rank {} of {}", operation.peer, size()));
  };
  switch (operation.verb) {
    case Verb::isend:
      check_range(operation.range, false);
      check_peer(false);
      break;
    case Verb::irecv:
      check_range(operation.range, true);
      check_peer(true);
      break;
    case Verb::reduce:
    case Verb::copy:
      check_range(operation.range, true);
      check_range(operation.other, false);
      break;
    case Verb::join:
      if (!world_.thread(rank_, operation.thread.index).in_use() ||
          operation.thread.index == index_)
        refuse("joins a thread that was not started");
      break;
    case Verb::reach:
      if (operation.flag.index < 0 || operation.flag.index >= most_flags)
        refuse(fmt::format("waits for flag {} of {}", operation.flag.index, most_flags));
      break;
    case Verb::multicast:
      check_range(operation.range, false);
      for (const int to : operation.receivers)
        if (to < 0 || to >= size() || to == rank_)
          refuse(fmt::format("sends a multicast to rank {} of {}", to, size()));
      break;
    case Verb::wait_any:
      if (operation.requests.empty()) refuse("waits for any of no requests");
      break;
    default:
      break;
  }
}

int LoopbackThread::next_free(Beside how) {
  int index = how == Beside::thread ? 1 : world_.threads();
  while (world_.thread(rank_, index).in_use()) ++index;
  return index;
}

Thread LoopbackThread::start(Task body, Beside how) {
  const int index = next_free(how);
  LoopbackThread& other = world_.thread(rank_, index);
  other.mark_ = mark_;
  other.begin(std::move(body), clock_);
  return {index};
}

Executor& LoopbackThread::thread(int index) { return world_.thread(rank_, index); }

void LoopbackThread::begin(Task body, std::int64_t clock) {
  task_.emplace(std::move(body));
  waiter_ = nullptr;
  ended_ = false;
  clock_ = clock;
  world_.make_runnable(*this);
}

void LoopbackThread::resume() {
  operation_ = nullptr;  // after a test it lives no longer than this call
  if (waiter_)
    waiter_.resume();
  else
    task_->start();
  if (!task_->done()) return;
  ended_ = true;
  task_->rethrow();
  world_.wake(rank_);
}

void LoopbackThread::wake() {
  const bool blocked = operation_ != nullptr && operation_->verb != Verb::test;
  if (!blocked || world_.running() == this || !ready()) return;
  finish();
  world_.make_runnable(*this);
}

LoopbackDeadlock::Blocked LoopbackThread::blocked() const {
  std::string needs;
  if (operation_ && operation_->verb == Verb::join)
    needs = fmt::format("its thread {} to end", operation_->thread.index);
  if (operation_ && operation_->verb == Verb::reach)
    needs = fmt::format("flag {} to be raised {} times", operation_->flag.index, operation_->count);
  if (operation_ && operation_->verb == Verb::split)
    needs = fmt::format("all {} ranks of its communicator to split it", operation_->split->size);
  const bool any = operation_ && operation_->verb == Verb::wait_any;
  for (const Request request : awaited_) {
    if (slot(request).complete) continue;
    if (!needs.empty()) needs += any ? " or " : " and ";
    needs += describe_need(slot(request).operation);
  }
  return {rank_, index_, needs, std::string(mark_.phase), mark_.step};
}

void LoopbackThread::refuse(const std::string& what) const {
  const std::string thread = index_ == 0 ? "" : fmt::format(" (thread {})", index_);
  const std::string where =
      mark_.phase.empty() ? "" : fmt::format(" ({}, step {})", mark_.phase, mark_.step);
  throw Misuse(fmt::format("rank {}{} {}{}", rank_, thread, what, where));
}

}  // namespace ringscope::loopback
