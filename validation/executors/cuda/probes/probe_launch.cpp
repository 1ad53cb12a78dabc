// SPDX-License-Identifier: LGPL-2.1-or-later
// Time to start a kernel, and to learn that a stream has come to its end.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "validation/executors/cuda/probes/probe.hpp"

namespace ringscope::cuda {
namespace {

constexpr int most_queued = 256;  ///< more, and a call waits for a place in the queue

/// `finished`: whether the time ends when the kernels have, or when they are all in the queue.
double time_of_launches(Gpus& gpus, const Lane& lane, int count, bool finished) {
  double total_s = 0;
  for (int left = count; left > 0; left -= most_queued) {
    const double start_s = gpus.now();
    for (int i = 0; i < std::min(left, most_queued); ++i) gpus.launch(lane.stream());
    const double queued_s = gpus.now() - start_s;
    lane.finish();
    total_s += finished ? gpus.now() - start_s : queued_s;
  }
  return total_s;
}

void launches(Bench& bench, int gpu) {
  Gpus& gpus = bench.gpus();
  const Lane lane(gpus, gpu);
  const auto point = [gpu](const char* until) {
    return Point{"gpu_launch", {{"gpu", gpu}, {"until", until}}};
  };
  bench.measure(point("called"),
                [&](int count) { return time_of_launches(gpus, lane, count, false); });
  bench.measure(point("queued"),
                [&](int count) { return time_of_launches(gpus, lane, count, true); });
  bench.measure(point("known"), [&](int count) {
    return seconds_of(gpus, count, [&] {
      gpus.launch(lane.stream());
      lane.finish();
    });
  });
}

/// Puts one mark into an empty stream and waits until the host knows of it.
using Notice = void (*)(Gpus&, const Lane&);

void by_polling(Gpus& gpus, const Lane& lane) {
  gpus.record(lane.stream(), lane.event());
  while (!gpus.reached(lane.event())) gpus.idle();
}

void by_synchronizing(Gpus&, const Lane& lane) { lane.finish(); }

/// The runtime calls from a thread of its own.
void by_callback(Gpus& gpus, const Lane& lane) {
  std::atomic<bool> called = false;
  gpus.call(lane.stream(), [&called] { called.store(true, std::memory_order_release); });
  while (!called.load(std::memory_order_acquire)) gpus.idle();
}

void notices(Bench& bench, int gpu) {
  Gpus& gpus = bench.gpus();
  const Lane lane(gpus, gpu);
  const auto measure = [&](const char* by, Notice notice) {
    bench.measure({"gpu_notice", {{"gpu", gpu}, {"by", by}}},
                  [&](int count) { return seconds_of(gpus, count, [&] { notice(gpus, lane); }); });
  };
  measure("polling", by_polling);
  measure("synchronizing", by_synchronizing);
  measure("callback", by_callback);
}

std::vector<Series> by_gpu(const ProbedGpus& probed, const char* what, void (*run)(Bench&, int gpu),
                           double weight) {
  std::vector<Series> plan;
  for (const int gpu : probed.chosen)
    plan.push_back({fmt::format("{}, GPU {}", what, gpu),
                    [run, gpu](Bench& bench) { run(bench, gpu); }, weight});
  return plan;
}

// Speed at which a GPU adds one vector to another.

void reductions(Bench& bench, int gpu) {
  Gpus& gpus = bench.gpus();
  const Lane lane(gpus, gpu);
  for (const std::uint64_t bytes : bench.sizes(gpu, 2)) {
    const Memory into(gpus, gpu, bytes), from(gpus, gpu, bytes);
    const Point point{"gpu_reduction", {{"bytes", bytes}, {"gpu", gpu}}, bytes};
    bench.measure(point, [&](int count) {
      const double start_s = gpus.now();
      for (int i = 0; i < count; ++i)
        gpus.reduce(lane.stream(), into.floats(), from.floats(), bytes / sizeof(float));
      lane.finish();
      return gpus.now() - start_s;
    });
  }
}

}  // namespace

std::vector<Series> plan_gpu_launch(const ProbedGpus& probed) {
  return by_gpu(probed, "gpu_launch", launches, 0.2);
}
std::vector<Series> plan_gpu_notice(const ProbedGpus& probed) {
  return by_gpu(probed, "gpu_notice", notices, 0.2);
}

std::vector<Series> plan_gpu_reduction(const ProbedGpus& probed) {
  return by_gpu(probed, "gpu_reduction", reductions, 2);
}

}  // namespace ringscope::cuda
