// SPDX-License-Identifier: LGPL-2.1-or-later
// Speed at which a GPU adds one vector to another.
#include <fmt/format.h>

#include "validation/executors/cuda/gpus/owned.hpp"
#include "validation/executors/cuda/probes/probe.hpp"

namespace ringscope::cuda {
namespace {

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

std::vector<Series> plan_gpu_reduction(const ProbedGpus& probed) {
  std::vector<Series> plan;
  for (const int gpu : probed.chosen)
    plan.push_back({fmt::format("gpu_reduction, GPU {}", gpu),
                    [gpu](Bench& bench) { reductions(bench, gpu); }, 2});
  return plan;
}

}  // namespace ringscope::cuda
