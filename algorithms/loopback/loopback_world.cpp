// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <limits>

#include "algorithms/loopback/loopback_rank.hpp"

namespace ringscope::loopback {
namespace {

/// No program tests this often in a row, over all ranks, while no message is received: it spins.
constexpr int most_fruitless_tests = 1'000'000;

bool overlap(const Range& a, const Range& b) {
  return a.buffer == b.buffer && a.size > 0 && b.size > 0 && a.offset < b.offset + b.size &&
         b.offset < a.offset + a.size;
}

bool fits(const Operation& receive, const Message& message) {
  return receive.tag == message.tag &&
         (receive.peer == any_source || receive.peer == message.source);
}

}  // namespace

bool Rank::contains(const Range& range) const {
  const std::size_t size = range.buffer == Buffer::data ? data.size() : scratch.size();
  return range.offset <= size && range.size <= size - range.offset;
}

std::span<float> Rank::items(const Range& range) {
  auto& buffer = range.buffer == Buffer::data ? data : scratch;
  return std::span(buffer).subspan(range.offset, range.size);
}

std::span<float> Rank::writable(const Range& range) {
  if (range.buffer == Buffer::scratch && range.size > 0)
    scratch_used = std::max(scratch_used, range.offset + range.size);
  return items(range);
}

int Rank::take_slot(const Operation& operation) {
  auto free = std::ranges::find_if(slots, [](const Slot& s) { return !s.used; });
  if (free == slots.end()) free = slots.insert(slots.end(), Slot{});
  free->used = true;
  free->operation = operation;
  return static_cast<int>(free - slots.begin());
}

const Operation* Rank::in_flight(const Range& range, bool writing) const {
  for (const Slot& slot : slots) {
    const bool conflicts = writing || slot.operation.verb == Verb::irecv;
    if (slot.used && conflicts && overlap(range, slot.operation.range)) return &slot.operation;
  }
  return nullptr;
}

World::World(int ranks, std::size_t items, std::size_t scratch_items, const InitialItem& initial,
             const LoopbackOptions& how)
    : how_(how), ranks_(ranks), random_(how.seed) {
  for (int r = 0; r < ranks; ++r) {
    Rank& self = rank(r);
    self.data.resize(items);
    for (std::size_t i = 0; i < items; ++i) self.data[i] = initial(r, i);
    self.scratch.assign(scratch_items, std::numeric_limits<float>::quiet_NaN());
    self.heard.assign(ranks_.size(), false);
    self.sent.assign(ranks_.size(), 0);
    self.heard[r] = true;
  }
}

LoopbackThread& World::thread(int rank_index, int index) {
  auto& threads = rank(rank_index).threads;
  while (std::ssize(threads) <= index)
    threads.emplace_back(*this, rank_index, static_cast<int>(threads.size()));
  return threads.begin()[index];
}

LoopbackResult World::run(const Algorithm& algorithm, const Options& options) {
  threads_ = threads_of(algorithm, options);
  for (int r = 0; r < size(); ++r) {
    const Workspace work = {.data = {Buffer::data, 0, rank(r).data.size()},
                            .scratch = {Buffer::scratch, 0, rank(r).scratch.size()}};
    LoopbackThread& first = thread(r, 0);
    first.begin(algorithm.run(Communicator(first), work, options), 0);
  }
  while (!runnable_.empty()) {
    LoopbackThread& next = next_runnable();
    running_ = &next;
    next.resume();
    running_ = nullptr;
  }
  check_nothing_left();
  check_threads(algorithm);
  LoopbackResult result;
  result.counted = counted_;
  result.observed = std::move(observed_);
  for (Rank& self : ranks_) {
    result.scratch_used = std::max(result.scratch_used, self.scratch_used);
    result.data.push_back(std::move(self.data));
    result.scratch.push_back(std::move(self.scratch));
    result.heard.push_back(std::move(self.heard));
    result.sent.push_back(std::move(self.sent));
  }
  return result;
}

void World::check_threads(const Algorithm& algorithm) const {
  const int most = threads_ + algorithm.nonblocking;
  for (const Rank& self : ranks_)
    if (std::ssize(self.threads) > most)
      throw Misuse(fmt::format("{}/{} uses {} threads and declares {}", algorithm.collective,
                               algorithm.name, self.threads.size(), most));
}

LoopbackThread& World::next_runnable() {
  if (how_.seed != 0) std::swap(runnable_.front(), runnable_[random_() % runnable_.size()]);
  LoopbackThread* next = runnable_.front();
  runnable_.pop_front();
  return *next;
}

void World::send(int from, int slot, std::int64_t round) {
  Rank& sender = rank(from);
  Slot& posted = sender.slots[slot];
  const auto items = sender.items(posted.operation.range);
  const int to = posted.operation.peer;
  posted.complete =
      !how_.synchronous_sends || (how_.eager_items && items.size() <= how_.eager_items(from, to));
  ++counted_.messages;
  counted_.items += items.size();
  Message message = {.source = from,
                     .tag = posted.operation.tag,
                     .items = {items.begin(), items.end()},
                     .round = round,
                     .heard = sender.heard,
                     .sender_slot = posted.complete ? -1 : slot};
  deliver(to, std::move(message));
}

void World::multicast(int from, const Operation& operation, std::int64_t round) {
  Rank& sender = rank(from);
  const auto items = sender.items(operation.range);
  ++counted_.messages;
  counted_.items += items.size();
  for (const int to : operation.receivers)
    deliver(to, {.source = from,
                 .tag = operation.tag,
                 .items = {items.begin(), items.end()},
                 .round = round,
                 .heard = sender.heard});
}

void World::split(const Operation& operation, LoopbackThread& caller) {
  for (LoopbackThread* one : splits_.call(*operation.split, operation.peer, caller)) one->wake();
}

/// Hands the message to the receive that waits for it, or queues it.
void World::deliver(int to, Message message) {
  ++rank(message.source).sent[to];
  Rank& receiver = rank(to);
  const auto waiting = std::ranges::find_if(receiver.posted, [&](int candidate) {
    return fits(receiver.slots[candidate].operation, message);
  });
  if (waiting == receiver.posted.end()) {
    receiver.arrived.push_back(std::move(message));
    return;
  }
  const int matched = *waiting;
  receiver.posted.erase(waiting);
  match(to, matched, std::move(message));
}

void World::receive(int to, int slot) {
  Rank& receiver = rank(to);
  const Operation& operation = receiver.slots[slot].operation;
  const auto waiting = std::ranges::find_if(
      receiver.arrived, [&](const Message& message) { return fits(operation, message); });
  if (waiting == receiver.arrived.end()) {
    receiver.posted.push_back(slot);
    return;
  }
  Message message = std::move(*waiting);
  receiver.arrived.erase(waiting);
  match(to, slot, std::move(message));
}

void World::match(int to, int slot, Message message) {
  Rank& receiver = rank(to);
  Slot& receive = receiver.slots[slot];
  if (message.items.size() > receive.operation.range.size)
    throw Misuse(fmt::format("rank {} receives {} items from rank {} into a range of {}", to,
                             message.items.size(), message.source, receive.operation.range.size));
  const auto into = receiver.writable(receive.operation.range.first(message.items.size()));
  std::copy(message.items.begin(), message.items.end(), into.begin());

  receiver.last_received = std::max(message.round, receiver.last_received + 1);
  receive.round = receiver.last_received;
  receive.items = message.items.size();
  receive.heard = std::move(message.heard);
  receive.complete = true;
  counted_.steps = std::max(counted_.steps, receive.round);
  fruitless_tests_ = 0;
  if (message.sender_slot >= 0) {
    rank(message.source).slots[message.sender_slot].complete = true;
    wake(message.source);
  }
  wake(to);
}

void World::wake(int rank_index) {
  for (LoopbackThread& thread : rank(rank_index).threads) thread.wake();
}

void World::note_fruitless_test() {
  if (++fruitless_tests_ > most_fruitless_tests) report_deadlock();
}

void World::report_deadlock() const {
  std::vector<LoopbackDeadlock::Blocked> blocked;
  for (const Rank& self : ranks_)
    for (const LoopbackThread& thread : self.threads)
      if (thread.in_use() && !thread.ended()) blocked.push_back(thread.blocked());
  throw LoopbackDeadlock(std::move(blocked));
}

void World::check_nothing_left() const {
  for (const Rank& self : ranks_)
    if (!self.threads.front().ended()) report_deadlock();
  for (const Rank& self : ranks_) {
    const LoopbackThread& first = self.threads.front();
    for (const LoopbackThread& thread : self.threads)
      if (&thread != &first && thread.in_use()) first.refuse("ends before it joins its threads");
    for (const Slot& slot : self.slots)
      if (slot.used) first.refuse("ends with a request that it never waited for");
    if (!self.arrived.empty())
      first.refuse(fmt::format("ends before it receives {} items from rank {}",
                               self.arrived.front().items.size(), self.arrived.front().source));
  }
}

}  // namespace ringscope::loopback
