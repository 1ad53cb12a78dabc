// SPDX-License-Identifier: LGPL-2.1-or-later
// A library's own collectives between the GPUs of this process: NCCL's, or a fake's.
#pragma once

#include <memory>
#include <string_view>

#include "base/table.hpp"
#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {

/// Collectives of floats, by sum; the root is rank 0.
enum class Collective : std::uint8_t { allreduce, broadcast, reduce, allgather, reduce_scatter };
inline constexpr std::array<Collective, 5> collectives = {
    Collective::allreduce, Collective::broadcast, Collective::reduce, Collective::allgather,
    Collective::reduce_scatter};
inline constexpr Array<std::string_view, 5> collective_names = {"allreduce", "broadcast", "reduce",
                                                                "allgather", "reduce_scatter"};
inline std::string_view name_of(Collective one) { return collective_names[one]; }

/// A rank: its GPU and stream, and its two vectors.
struct CollectiveRank {
  int gpu = 0;
  Stream stream;
  float* from = nullptr;
  float* to = nullptr;
};

/// The ranks that have joined, 0..P-1.
class CollectiveGroup {
 public:
  virtual ~CollectiveGroup() = default;
  /// Puts it into the streams of all ranks. `items` are those of the whole vector: of an allgather
  /// and a reduce-scatter each rank has the P-th part of it.
  virtual void start(Collective what, std::size_t items) = 0;
};

class CollectiveLibrary {
 public:
  virtual ~CollectiveLibrary() = default;
  virtual std::string version() const = 0;  ///< "NCCL 2.28.9"
  /// Throws GpuError where the library refuses these ranks.
  virtual std::unique_ptr<CollectiveGroup> join(std::span<const CollectiveRank> ranks) = 0;
};

// NCCL, one process with a rank on each GPU.

/// Over the streams of make_cuda_gpus().
std::unique_ptr<CollectiveLibrary> make_nccl(const Gpus& gpus);

}  // namespace ringscope::cuda
