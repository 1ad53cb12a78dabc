// SPDX-License-Identifier: LGPL-2.1-or-later
// Transfers of the bytes of a message from one rank's memory into another's.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "validation/executors/cuda/executor/completions.hpp"
#include "validation/executors/cuda/gpus/owned.hpp"

namespace ringscope::cuda {

enum class Path : std::uint8_t { device, peer, staged };
std::string_view name_of(Path path);

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
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

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
