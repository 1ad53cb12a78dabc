// SPDX-License-Identifier: LGPL-2.1-or-later
// The progress engine of one endpoint: the CPU work that moves requests on, done one work item at a
// time, and only while the engine runs: always (a thread, the NIC), or while a caller is inside
// MPI.
#pragma once

#include <boost/circular_buffer.hpp>

#include "sim/machine/ledger.hpp"
#include "sim/mpi/message.hpp"

namespace ringscope::sim {

/// CPU work on one message: the poll that finds it, CPU per message, then CPU per byte.
struct WorkItem {
  int message = 0;
  Caller* caller = nullptr;  ///< on whose CPU, where the engine has none of its own
  double poll = 0;           ///< s of a poll for it, where none has found it yet
  double seconds = 0;
  double registration = 0;  ///< s of pinning its buffer for the NIC, behind `seconds`
  double bytes = 0;
  ByteCost cost{};               ///< CPU per byte
  const Uses* memory = nullptr;  ///< used by the bytes beside the CPU
  Callback done{};               ///< called when it is

  double copy() const { return bytes * cost.seconds_per_byte; }  ///< s
};

class Mpi;

class Engine {
 public:
  /// Always on: a progress thread with a CPU of its own, or a NIC, whose work is free. Otherwise it
  /// runs while a caller is inside MPI, on the caller's CPU.
  Engine(Ledger& ledger, const CpuScale& scale, Mpi& mpi, bool always_on, bool free, Uses cpu)
      : ledger_(&ledger),
        scale_(&scale),
        mpi_(&mpi),
        always_on_(always_on),
        free_(free),
        cpu_(std::move(cpu)) {
    if (always_on_) begin_idling();
  }
  Engine(Engine&&) = default;

  bool running() const { return always_on_ || inside_ > 0; }
  bool idle() const { return work_items_.empty(); }
  void call_when_idle(Caller& caller) { idle_callers_.push_back(&caller); }
  /// CPU of a progress thread; empty where the engine works on its callers' CPUs.
  const Uses& own_cpu() const { return cpu_; }
  /// Every use of a core by this endpoint also takes the lock, once there is one.
  void set_lock(int lock) { lock_ = lock; }
  int lock() const { return lock_; }  ///< a resource; -1 while there is none
  /// `weight` units of the CPU, and of the lock, per unit of work.
  void add_cpu(Uses& uses, const Caller& caller, int weight) const;

  void enter(Caller& caller);
  void leave();
  void submit(const WorkItem& item);
  /// Idle polling time, in seconds, that is not charged to early copies yet.
  double spare() const { return spare_ + (idle_since_ < 0 ? 0 : ledger_->now() - idle_since_); }
  void spend(double seconds) { spare_ -= seconds; }
  /// Time has moved by `seconds`.
  void skip(double seconds) {
    if (idle_since_ >= 0) idle_since_ += seconds;
  }
  /// Time begins again, and with it what there is to spare.
  void rewind() {
    spare_ = 0;
    if (idle_since_ >= 0) idle_since_ = 0;
  }
  static void visit(auto& self, auto& fields) {  // state_fields.hpp
    // Left out: `spare` counts for messages in pieces alone, which describe it.
    auto& [ledger, scale, mpi, always_on, free, cpu, lock, inside, work_items, parts_left, found,
           activity, paused, spare, idle_since, idle_callers] = self;
    fields.exact(inside, parts_left, found, activity >= 0, paused, idle_callers.size(),
                 work_items.size());
    for (const auto& [message, caller, poll, seconds, registration, bytes, cost, memory, done] :
         work_items) {
      fields.exact(std::bit_cast<std::uintptr_t>(done.function));
      fields.message(message);
      fields.amount(bytes);
      fields.amount(seconds);
      fields.amount(registration);
      fields.amount(poll);
    }
  }

 private:
  void begin();
  void begin_idling() {
    if (idle_since_ < 0) idle_since_ = ledger_->now();
  }
  void end_idling() {
    spare_ = spare();
    idle_since_ = -1;
  }
  void next_part();
  void part_done(std::uint64_t);
  void report_part();
  const Uses& cpu_of(const Caller& caller) const { return cpu_.empty() ? caller.cpu : cpu_; }

  Ledger* ledger_;
  const CpuScale* scale_;
  Mpi* mpi_;
  bool always_on_;
  bool free_;
  Uses cpu_;
  int lock_ = -1;
  int inside_ = 0;
  boost::circular_buffer<WorkItem> work_items_;  ///< the first one is in progress
  int parts_left_ = 0;                           ///< of the first one; see next_part()
  std::size_t found_ = 0;  ///< how many of the first ones the last poll has found, or came before
  int activity_ = -1;
  bool paused_ = false;
  double spare_ = 0, idle_since_ = -1;  ///< s; -1: not idle, or not running
  std::vector<Caller*> idle_callers_;
};

}  // namespace ringscope::sim
