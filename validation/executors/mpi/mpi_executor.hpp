// SPDX-License-Identifier: LGPL-2.1-or-later
// Executor 2: one thread of one rank of a real MPI job. Each verb is the MPI call of its name.
//
// Invariant: every verb is over when perform() returns, so a program runs from its start to its end
// without ever being suspended, and makes its calls in the order in which they stand.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/pool.hpp"
#include "validation/executors/whereabouts.hpp"

namespace ringscope::mpi {

// Communicators of MPI's own for the groups into which a program splits its ranks.

/// Those of one rank, for all its threads. A context of a tag is an index here, which other ranks
/// need not share: the communicator behind it is what MPI matches by.
class SplitCommunicators {
 public:
  explicit SplitCommunicators(MPI_Comm all) : all_(all) {}
  SplitCommunicators& operator=(SplitCommunicators&&) = delete;  ///< neither copied nor moved

  /// MPI_Comm_split; sets the call's group.
  void split(SplitCall& call);

  /// Where a message of this context goes: the communicator, and the peer's rank in it.
  struct Place {
    MPI_Comm comm;
    int peer;
  };
  /// `peer` of all ranks; any_source stays MPI_ANY_SOURCE.
  Place place(int peer, Tag tag);

  /// Frees them. Each rank calls it when its program is over.
  void clear();

 private:
  struct SplitComm {
    MPI_Comm comm;
    SharedRanks ranks;  ///< of all, by rank in comm
    Table<int> index;   ///< rank in comm, by rank of all
  };
  MPI_Comm parent_of(const SplitCall& call);
  std::vector<int> ranks_of(MPI_Comm comm) const;

  MPI_Comm all_;
  std::deque<SplitComm> splits_;  ///< of context 1, 2, ...
  std::mutex adding_;
};

/// The vectors of a rank, into which a program's ranges point.
struct Vectors {
  std::vector<float> data, scratch;
};

class MpiExecutor final : public Executor {
 public:
  /// `threads` executors of this rank in all; this is number `index`. With `phases`, each step is
  /// timed, which costs one more reading of the clock.
  MpiExecutor(MPI_Comm comm, Vectors& vectors, int threads, bool phases = false, int index = 0);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Request post(const Operation& operation) override;
  bool perform(Operation& operation, std::coroutine_handle<> waiter) override;
  /// Throws std::logic_error for a non-blocking collective: its program would need a call of MPI's
  /// own.
  Thread start(Task body, Beside how) override;
  int next_free(Beside how) override;
  Executor& thread(int index) override;
  void mark(Mark mark) override;
  void raise(Flag flag) override;

  /// Runs a program to its end. Rethrows what it throws.
  void run(Task text);

  /// Seconds inside each verb since the last reset, indexed by Verb.
  const Array<double, verbs>& seconds() const { return seconds_; }
  /// Seconds inside each step since then; empty unless asked for.
  const PhaseTimes& phases() const { return phases_; }
  void reset();

  const Whereabouts& whereabouts() const { return whereabouts_; }
  /// Before a call of MPI that is no verb: for the watchdog.
  void enter(const std::string_view& call) {
    whereabouts_.leave_phase();
    whereabouts_.enter(call);
  }
  /// The verb that wrote an item of `data` last since the reset: "reduce_scatter, step 2, reduce";
  /// "" when none did.
  std::string last_writer(std::size_t item) const { return writes_.last(item); }
  /// Overhead of timing one verb: the time of a copy of nothing, the least of some batches.
  double instrument_s();

 private:
  std::span<float> items(Range range) const;
  void enter(const Operation& operation);
  void leave(Verb verb, double entered);
  void call(Operation& operation);
  SplitCommunicators::Place place(int peer, Tag tag) {
    return first_->own_splits_.place(peer, tag);
  }
  void wait(Operation& operation);
  std::size_t& times_raised(Flag flag);
  void reach(const Operation& operation);
  void multicast(const Operation& operation);
  MPI_Request& request(Request request) { return requests_[request.slot]; }
  void free_slots(std::span<const Request> requests);

  SplitCommunicators own_splits_;  ///< of the first thread, for all of the rank
  Vectors* vectors_;
  int rank_ = 0, size_ = 0;
  Pool<MPI_Request> requests_;
  Table<std::unique_ptr<MpiExecutor>> others_;  ///< of the first thread
  MpiExecutor* first_;
  Table<std::size_t> raised_;  ///< of the first thread, for all of the rank
  std::mutex raising_;
  std::condition_variable was_raised_;
  std::thread running_;  ///< while this one is a started thread
  bool in_use_ = false;
  Array<double, verbs> seconds_{};
  bool times_phases_;
  PhaseTimes phases_;
  Writes writes_;
  Whereabouts whereabouts_;
};

}  // namespace ringscope::mpi
