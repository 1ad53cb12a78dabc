// SPDX-License-Identifier: LGPL-2.1-or-later
// Inside executor 3: a rank with its memory and messages, and each of its threads.
#pragma once

#include <optional>

#include "base/pool.hpp"
#include "validation/executors/cuda/executor/transfers.hpp"
#include "validation/executors/whereabouts.hpp"

namespace ringscope::cuda {

class CudaExecutor;
struct Rank;

/// The same, with whose it was: "...; rank 2 was in allgather, step 1, send with rank 3".
GpuError at_rank(const GpuError& error, int rank, const std::string& place);

/// A posted isend or irecv; free again when waited for.
struct Slot {
  Operation operation{};
  bool matched = false, complete = false;
  std::size_t items = 0;  ///< received
};

/// One thread of one rank: all of them are coroutines of one thread of the process.
class GpuThread final : public Executor {
 public:
  GpuThread(CudaExecutor& world, Rank& rank, int index)
      : world_(world), rank_(rank), index_(index) {}

  int rank() const override;
  int size() const override;
  Request post(const Operation& operation) override;
  bool perform(Operation& operation, std::coroutine_handle<> waiter) override;
  /// Throws std::logic_error for a non-blocking collective.
  Thread start(Task body, Beside how) override;
  int next_free(Beside how) override;
  Executor& thread(int index) override;
  void mark(Mark mark) override;
  void raise(Flag flag) override;

  void begin(Task body);
  /// Runs until it blocks or ends. Rethrows what the program throws.
  void resume();
  /// Lets it go on if what it waits for is complete.
  void wake();
  void stop() { task_.reset(); }

  bool in_use() const { return task_.has_value(); }
  bool ended() const { return ended_; }
  /// "rank 2 is in allgather, step 0, wait, for 4 items from rank 1 (not sent yet)".
  std::string waits() const;
  std::string place() const { return whereabouts_.text(); }
  const PhaseTimes& phases() const { return phases_; }

 private:
  bool ready() const;
  void finish();
  void put(const Operation& operation);
  void post_all(const Operation& operation);
  Request post_slot(const Operation& operation);
  void work(const Operation& operation);
  void await_stream(Stream stream);
  bool test();
  template <typename Calls>
  void with_place(Calls calls);

  CudaExecutor& world_;
  Rank& rank_;
  int index_;
  std::optional<Task> task_;  ///< empty: not in use
  bool ended_ = false, running_ = false;
  std::coroutine_handle<> waiter_;
  Operation* operation_ = nullptr;  ///< performed now, or blocking
  std::vector<Request> awaited_;
  int in_streams_ = 0;  ///< works of its own that it waits for
  double wakes_at_ = 0, entered_ = 0;
  Whereabouts whereabouts_;
  PhaseTimes phases_;
};

struct Rank {
  Rank(Gpus& gpus, int number, int gpu) : endpoint(gpus, number, gpu) {}

  Endpoint endpoint;
  std::vector<Memory> memory;  ///< data, scratch; none before they are allocated
  std::size_t items = 0, scratch_items = 0;
  Pool<Slot> slots;
  std::deque<int> posted;  ///< slots of receives without a message
  /// Sends without a receive: whose, and its slot there.
  struct Arrived {
    int source, slot;
  };
  std::deque<Arrived> arrived;
  Table<std::size_t> raised;  ///< times, by flag
  std::deque<GpuThread> threads;
  Array<double, verbs> seconds{};  ///< inside each verb of its first thread
  Writes writes;

  int number() const { return endpoint.rank(); }
  std::size_t& times_raised(Flag flag) { return raised.grown(flag.index); }
  GpuThread& thread(CudaExecutor& world, int index);
  float* place(const Range& range) const;
  Slot& slot(Request request) { return slots[request.slot]; }
  const Slot& slot(Request request) const { return slots[request.slot]; }
  void reset();
};

}  // namespace ringscope::cuda
