// SPDX-License-Identifier: LGPL-2.1-or-later
// The data phase of messages above the eager limit: one flow that uses all it needs at once.
//
// A caller-driven flow uses the CPUs at both ends and the wire, and moves only while both engines
// run, but for `buffer` bytes that the OS moves on after an end has left MPI; that end pays their
// CPU cost when it comes back, which the other end does not wait for. A receiver-driven flow
// (single copy in shared memory) needs the receiver alone, a NIC-driven one nobody.
//
// Flows share their way, but for queues of which only the first is on its way: of a copy engine,
// that is a NIC-driven transport with a gap; and where the order is fifo, of a pair of endpoints. A
// flow that waits for its turn depends on no engine. What the OS may still move while an end is
// away is the queue's, not each flow's.
#pragma once

#include <map>

#include "sim/mpi/engine.hpp"

namespace ringscope::sim {

class Streams {
 public:
  Streams(Ledger& ledger, const Machine& machine, BlockPool<Message>& messages, Mpi& mpi)
      : ledger_(&ledger), machine_(&machine), messages_(&messages), mpi_(&mpi) {}

  void start(int message);
  /// The engine of the caller's endpoint runs from now on, or no longer does.
  void entered(Caller& caller);
  void left(Caller& caller);
  /// Requires that the message is on its way.
  const DataPhase& state_of(const Message& m) const { return phases_[m.flow]; }

 private:
  static bool needs_sender(const Message& m) { return m.transport().driver == Driver::caller; }
  static bool needs_receiver(const Message& m) { return !m.transport().moves_by_nic(); }
  bool sender_here(const Message& m);
  bool receiver_here(const Message& m);

  DataPhase& phase(const Message& m) { return phases_[m.flow]; }
  static double amount(const Message& m);
  void begin_phase(int id);
  bool is_copied(const Message& m) const;
  int* last_in_queue(const Message& m);
  int take_next(int id);
  void take_turn(int id);
  void follow(int id, int before);
  void go(int id);
  void halt(int id);
  void settle(const Message& m, double moved);
  void blame(int id);
  template <auto end>
  void paid(std::uint64_t id);
  bool pay(int id, const Caller& at, bool sender_side);
  void add_cpu(const Caller& caller, ByteCost cost);
  void activity_done(std::uint64_t id);
  void check_done(int id);
  bool end_is_done(int id, bool sender_side);

  Ledger* ledger_;
  const Machine* machine_;
  BlockPool<Message>* messages_;
  BlockPool<DataPhase> phases_;  ///< of those that are on their way
  Mpi* mpi_;
  Uses uses_;
  std::map<int, int> last_copies_;  ///< by the first resource of their ways: the last in its queue
};

}  // namespace ringscope::sim
