// SPDX-License-Identifier: LGPL-2.1-or-later
// Transfers of the bytes of a message from one rank's memory into another's.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/table.hpp"
#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {

// Completion of work in streams as the host learns of it: it asks, or they call.

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
  Completions& operator=(Completions&&) = delete;  ///< neither copied nor moved

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

enum class Path : std::uint8_t { device, peer, staged };
/// Names by Path.
inline constexpr Array<std::string_view, 3> path_names = {"device", "peer", "staged"};

struct TransferOptions {
  bool always_staged = false;  ///< else only where there is no other path
  HostMemory host_memory = HostMemory::pinned;
  std::size_t segment_bytes = std::size_t{1} << 20;
  int buffers = 4;  ///< of a sender, each for one segment
};

/// End of a rank's transfers: its GPU and its streams.
class Endpoint {
 public:
  Endpoint(Gpus& gpus, int rank, int gpu);
  ~Endpoint();
  Endpoint& operator=(Endpoint&&) = delete;  ///< neither copied nor moved

  int rank() const { return rank_; }
  int gpu() const { return gpu_; }
  Stream out() const { return out_; }          ///< sends
  Stream in() const { return in_; }            ///< receives from host memory
  Stream work() const { return work_; }        ///< reductions and copies of its own
  Stream compute() const { return compute_; }  ///< the computations of its program

 private:
  friend class Transfers;
  struct Buffer {
    Memory memory;
    PooledEvent drained;  ///< reached when the receiver has taken what was in it last
  };

  Gpus& gpus_;
  int rank_, gpu_;
  Stream out_, in_, work_, compute_;
  std::vector<Buffer> buffers_;  ///< none until something is staged
  std::size_t next_buffer_ = 0;
};

struct TransferEnd {
  Endpoint* endpoint = nullptr;
  std::byte* place = nullptr;
};

class Transfers {
 public:
  /// Enables the peer access that there is among `gpus_in_use`.
  Transfers(Gpus& gpus, Completions& completions, const TransferOptions& options,
            const std::vector<int>& gpus_in_use);

  Path path(int from_gpu, int to_gpu) const;
  /// Allocates what sending over host memory takes; else the first such message does.
  void prepare(Endpoint& from);
  /// Puts all of it into the streams. `sent`: the source may be changed; `received`: all is there.
  /// Requires bytes > 0.
  void start(TransferEnd from, TransferEnd to, std::size_t bytes, std::function<void()> sent,
             std::function<void()> received);

 private:
  void stage(TransferEnd from, TransferEnd to, std::size_t bytes);

  Gpus& gpus_;
  Completions& completions_;
  TransferOptions options_;
};

}  // namespace ringscope::cuda
