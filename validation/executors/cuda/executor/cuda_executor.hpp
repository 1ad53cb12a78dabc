// SPDX-License-Identifier: LGPL-2.1-or-later
// Executor 3: all ranks of a job in one process, each a coroutine with memory and streams on a GPU.
//
// Invariants: a verb is over when the host has learned that its work on the GPU is, so that
// programs need no order among streams; a message is matched, in `arrived` or nowhere, as a
// loopback's is. A send completes when its receive has come and the data may be changed.
#pragma once

#include "algorithms/catalogue.hpp"
#include "validation/executors/cuda/executor/gpu_thread.hpp"

namespace ringscope::cuda {

struct ExecutorOptions {
  TransferOptions transfers;
  ProgressBy progress = ProgressBy::polling;
  bool phases = false;  ///< time each step, for two more readings of the clock
};

/// A run that does not end: what each rank is in, and what it waits for.
class Stuck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CudaExecutor {
 public:
  /// `gpu_of_rank`: one for each rank; ranks may share one.
  CudaExecutor(Gpus& gpus, const std::vector<int>& gpu_of_rank, const ExecutorOptions& options);
  ~CudaExecutor();
  CudaExecutor& operator=(CudaExecutor&&) = delete;  ///< neither copied nor moved

  /// Allocates the vectors of every rank, and the buffers that staging takes. Throws GpuError.
  void allocate(std::size_t items, std::size_t scratch_items);
  /// The data of a rank, to and from the host; they return when it is there.
  void fill(int rank, std::span<const float> data);
  void read(int rank, std::span<float> data);

  /// Seconds from all ranks ready to the last one's end, by the clock of the GPUs' interface.
  /// Throws Stuck for ranks that wait for each other, or when that clock passes `deadline`;
  /// GpuError, which names the rank, its phase, step and verb; what a program throws.
  double run(const Algorithm& algorithm, const Options& options, double deadline);

  int size() const { return static_cast<int>(ranks_.size()); }
  Rank& rank(int index) { return *ranks_[index]; }
  const Rank& rank(int index) const { return *ranks_[index]; }
  /// Path of a message between two ranks.
  Path path(int from, int to) const;
  /// "rank 0 is in reduce-scatter, step 1, send with rank 1; rank 1 ...": from any thread.
  std::string whereabouts() const;

 private:
  friend class GpuThread;

  void post_send(Rank& from, int slot);
  void post_receive(Rank& to, int slot);
  void match(Rank& from, int send_slot, Rank& to, int receive_slot);
  void complete(Rank& rank, int slot);
  void run_ready();
  bool wake_sleepers();
  bool all_ended() const;
  void begin(const Algorithm& algorithm, const Options& options);
  void check_not_stuck(double begun, double deadline);
  std::string waits() const;
  void abandon();
  void copy(Rank& rank, const char* when, void* to, const void* from, std::size_t bytes);

  Gpus& gpus_;
  ExecutorOptions options_;
  Completions completions_;
  Transfers transfers_;
  Table<std::unique_ptr<Rank>> ranks_;
  std::deque<GpuThread*> ready_;
  std::vector<GpuThread*> testing_;  ///< they have tested in vain, and shall again
  std::vector<GpuThread*> sleeping_;
  Splits<GpuThread> splits_;
};

}  // namespace ringscope::cuda
