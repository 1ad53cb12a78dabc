// SPDX-License-Identifier: LGPL-2.1-or-later
// Inside the loopback executor: ranks, their threads, and the messages between them.
//
// Invariants: a message is either matched or in `arrived`, never both, and a posted receive is in
// `posted` until it is matched; no message in `arrived` fits a receive in `posted`. Both keep the
// order in which they came, so that messages of one source and tag never overtake each other.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <random>

#include "algorithms/loopback/loopback.hpp"

namespace ringscope::loopback {

class World;

struct Message {
  int source = 0;
  Tag tag{};
  std::vector<float> items;
  std::int64_t round = 0;   ///< in which it was sent
  std::vector<bool> heard;  ///< ranks from which its sender had heard
  int sender_slot = -1;     ///< the send that its receive completes; -1: already complete
};

/// A posted isend or irecv; free again when waited for.
struct Slot {
  Operation operation;
  bool used = false;
  bool complete = false;
  std::int64_t round = 0;   ///< of the receive; 0 for a send
  std::size_t items = 0;    ///< items received
  std::vector<bool> heard;  ///< flags that came with the message
};

/// One thread of one rank.
class LoopbackThread final : public Executor {
 public:
  LoopbackThread(World& world, int rank, int index) : world_(world), rank_(rank), index_(index) {}

  int rank() const override { return rank_; }
  int size() const override;
  Request post(const Operation& operation) override;
  bool perform(Operation& operation, std::coroutine_handle<> waiter) override;
  Thread start(Task body, Beside how) override;
  int next_free(Beside how) override;
  Executor& thread(int index) override;
  void mark(Mark mark) override { mark_ = mark; }
  void raise(Flag flag) override;
  void observe(std::string_view what, double value) override;

  void begin(Task body, std::int64_t clock);
  /// Runs until it blocks or ends. Rethrows what the program throws.
  void resume();
  /// Lets it go on if what it waits for is complete.
  void wake();

  bool in_use() const { return task_.has_value(); }
  bool ended() const { return ended_; }
  LoopbackDeadlock::Blocked blocked() const;
  /// Throws Misuse, saying where this thread stands.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  bool ready() const;
  void finish();
  void take(Request request);
  bool test();
  void multicast(const Operation& operation);
  void apply(const Operation& operation);
  void check(const Operation& operation) const;
  const Slot& slot(Request request) const;

  World& world_;
  int rank_;
  int index_;
  std::optional<Task> task_;  ///< empty: not in use
  bool ended_ = false;
  std::int64_t clock_ = 0;
  Mark mark_;
  std::coroutine_handle<> waiter_;
  Operation* operation_ = nullptr;  ///< performed now, or blocking
  std::vector<Request> awaited_;
};

/// State of a flag.
struct Raised {
  std::size_t times = 0;
  std::int64_t clock = 0;  ///< the highest of those who raised it
};

struct Rank {
  std::vector<float> data, scratch;
  Table<Raised> raised;
  Table<Slot> slots;
  std::deque<int> posted;       ///< slots of receives without a message
  std::deque<Message> arrived;  ///< messages without a receive
  std::deque<LoopbackThread> threads;
  std::int64_t last_sent = 0, last_received = 0;  ///< rounds
  std::size_t scratch_used = 0;
  Table<bool> heard;
  Table<int> sent;  ///< messages to each rank

  bool contains(const Range& range) const;
  /// Requires contains(range).
  std::span<float> items(const Range& range);
  /// Writable counterpart of `items`.
  std::span<float> writable(const Range& range);
  Raised& flag(Flag flag) { return raised.grown(flag.index); }
  int take_slot(const Operation& operation);
  /// A posted operation that forbids to read (or to write) `range` until it is waited for.
  const Operation* in_flight(const Range& range, bool writing) const;
};

/// All ranks, and which thread runs next.
class World {
 public:
  World(int ranks, std::size_t items, std::size_t scratch_items, const InitialItem& initial,
        const LoopbackOptions& how);

  LoopbackResult run(const Algorithm& algorithm, const Options& options);

  int size() const { return static_cast<int>(ranks_.size()); }
  Rank& rank(int index) { return ranks_[index]; }
  LoopbackThread& thread(int rank, int index);
  int threads() const { return threads_; }  ///< of a rank at most, its first one counted
  const LoopbackThread* running() const { return running_; }

  void send(int from, int slot, std::int64_t round);
  void multicast(int from, const Operation& operation, std::int64_t round);
  void split(const Operation& operation, LoopbackThread& caller);
  void observe(std::string_view what, double value) {
    observed_[std::string(what)].push_back(value);
  }
  void receive(int to, int slot);
  void make_runnable(LoopbackThread& thread) { runnable_.push_back(&thread); }
  void wake(int rank);
  /// A test that found nothing. Throws LoopbackDeadlock after too many in a row.
  void note_fruitless_test();

 private:
  void deliver(int to, Message message);
  void match(int to, int slot, Message message);
  void check_threads(const Algorithm& algorithm) const;
  LoopbackThread& next_runnable();
  [[noreturn]] void report_deadlock() const;
  void check_nothing_left() const;

  LoopbackOptions how_;
  Table<Rank> ranks_;
  std::deque<LoopbackThread*> runnable_;
  const LoopbackThread* running_ = nullptr;
  std::mt19937_64 random_;
  int fruitless_tests_ = 0;
  int threads_ = 1;
  Cost counted_;
  Splits<LoopbackThread> splits_;
  std::map<std::string, std::vector<double>> observed_;
};

}  // namespace ringscope::loopback
