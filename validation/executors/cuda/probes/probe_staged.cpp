// SPDX-License-Identifier: LGPL-2.1-or-later
// Time of a vector from GPU memory to GPU memory by way of the host's, cut into segments that
// follow each other: one comes up while the one before it goes down.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "topologies/input/units.hpp"
#include "validation/executors/cuda/probes/probe.hpp"

namespace ringscope::cuda {
namespace {

constexpr std::size_t slots = 2;  ///< segments in the host's memory at once, as executor 3 has them
constexpr std::array<std::uint64_t, 5> usual_segments = {64 << 10, 256 << 10, 1 << 20, 4 << 20,
                                                         16 << 20};

struct Staging {
  int gpu = 0;
  std::uint64_t segment = 0;
  HostMemory memory = HostMemory::pinned;
};

class Pipeline {
 public:
  Pipeline(Gpus& gpus, const Staging& staging, std::uint64_t bytes)
      : gpus_(&gpus),
        segment_(staging.segment),
        bytes_(bytes),
        from_(gpus, staging.gpu, bytes),
        to_(gpus, staging.gpu, bytes),
        up_(gpus, staging.gpu),
        down_(gpus, staging.gpu) {
    for (std::size_t i = 0; i < slots; ++i) {
      rooms_.emplace_back(gpus, staging.memory, std::min(segment_, bytes));
      filled_.emplace_back(gpus, staging.gpu);
      emptied_.emplace_back(gpus, staging.gpu);
    }
  }

  /// Puts all segments into the two streams.
  void start() const {
    std::size_t index = 0;
    for (std::uint64_t at = 0; at < bytes_; at += segment_, ++index) {
      const std::size_t slot = index % slots;
      const std::uint64_t size = std::min(segment_, bytes_ - at);
      if (index >= slots) gpus_->wait(up_.stream(), emptied_[slot].event());
      gpus_->copy(up_.stream(), rooms_[slot].bytes(), from_.bytes() + at, size);
      gpus_->record(up_.stream(), filled_[slot].event());
      gpus_->wait(down_.stream(), filled_[slot].event());
      gpus_->copy(down_.stream(), to_.bytes() + at, rooms_[slot].bytes(), size);
      gpus_->record(down_.stream(), emptied_[slot].event());
    }
  }
  void finish() const { down_.finish(); }

 private:
  Gpus* gpus_;
  std::uint64_t segment_, bytes_;
  Memory from_, to_;
  Lane up_, down_;
  std::vector<Memory> rooms_;
  std::vector<Lane> filled_, emptied_;  ///< for their events
};

void staged(Bench& bench, const Staging& staging) {
  Gpus& gpus = bench.gpus();
  std::vector<std::uint64_t> sizes = bench.sizes(staging.gpu, 2);
  std::erase_if(sizes, [&](std::uint64_t bytes) { return bytes < staging.segment; });
  for (const std::uint64_t bytes : sizes) {
    const Pipeline pipeline(gpus, staging, bytes);
    const Point point{"staged_pipeline",
                      {{"bytes", bytes},
                       {"gpu", staging.gpu},
                       {"segment", staging.segment},
                       {"memory", name_of(staging.memory)}},
                      bytes};
    bench.measure(point, [&](int vectors) {
      return seconds_of(gpus, vectors, [&] {
        pipeline.start();
        pipeline.finish();
      });
    });
  }
}

}  // namespace

std::vector<Series> plan_staged_pipeline(const ProbedGpus& probed) {
  std::vector<std::uint64_t> segments = probed.segments;
  if (segments.empty()) segments.assign(usual_segments.begin(), usual_segments.end());
  std::vector<Series> plan;
  for (const int gpu : probed.chosen)
    for (const HostMemory memory : {HostMemory::pinned, HostMemory::pageable})
      for (const std::uint64_t segment : segments)
        plan.push_back({fmt::format("staged_pipeline, GPU {}, {}, segments of {}", gpu,
                                    name_of(memory), to_short_text(Bytes{segment})),
                        [=](Bench& bench) {
                          staged(bench, {gpu, segment, memory});
                        }});
  return plan;
}

}  // namespace ringscope::cuda
