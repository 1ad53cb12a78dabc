// SPDX-License-Identifier: LGPL-2.1-or-later
// Completion of work in streams as the host learns of it: it asks, or they call.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/table.hpp"
#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {

enum class ProgressBy : std::uint8_t { polling, callbacks };

/// An event that goes back to where it came from, and the GPU whose streams may record it.
struct PooledEvent {
  Event event;
  int gpu = -1;  ///< -1: none
};

class Completions {
 public:
  Completions(Gpus& gpus, ProgressBy by) : gpus_(gpus), by_(by) {}
  ~Completions();
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  /// Runs `then`, by advance(), when all that was put into the stream so far is done. `rank` is who
  /// has put it there, for on_failure.
  void when_done(Stream stream, int gpu, int rank, std::function<void()> then);
  /// Runs what has become due; false where that was nothing. Throws GpuError.
  bool advance();
  /// True while anything is still to come.
  bool waiting() const { return !awaited_.empty() || called_for_ > 0; }
  /// Forgets all that is to come: of a run that is given up.
  void forget();

  /// Failure that the GPU reports when asked how far it is: `rank` is whose work it was.
  std::function<void(const GpuError&, int rank)> on_failure;

  /// Events that order streams among each other. One may be given back as soon as the calls that
  /// record it and wait for it are made: a wait is for the record before it.
  PooledEvent take(int gpu);
  void give(PooledEvent event);

 private:
  struct Awaited {
    PooledEvent reached;
    int rank = 0;
    std::function<void()> then{};
  };
  /// Calls of the streams, in threads of the runtime, left for advance().
  struct Calls {
    std::mutex mutex;
    std::vector<std::function<void()>> due{};
  };

  bool poll();
  bool answer_calls();
  bool ask(const Awaited& awaited);
  void look_for_failures();

  Gpus& gpus_;
  ProgressBy by_;
  std::deque<Awaited> awaited_;
  std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  std::size_t called_for_ = 0;
  int fruitless_ = 0;
  PooledEvent any_;  ///< to ask with whether something has failed
  int last_rank_ = 0;
  Table<std::vector<Event>> pool_;  ///< by GPU
};

}  // namespace ringscope::cuda
