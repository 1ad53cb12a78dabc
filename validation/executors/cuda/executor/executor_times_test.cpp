// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a ring on GPUs take what its copies, reductions and events add up to?
#include <gmock/gmock.h>

#include "validation/executors/cuda/executor/gpu_cases_for_test.hpp"

namespace ringscope::cuda {
namespace {

constexpr int ranks = 4;
constexpr std::size_t chunk_items = 3000, chunk_bytes = chunk_items * sizeof(float);

double ring_on(const FakeParameters& parameters, const ExecutorOptions& how) {
  FakeGpus gpus(parameters);
  return run_on(gpus, how, *find_algorithm("allreduce", "ring"), ranks, ranks * chunk_items)
      .seconds;
}

/// P - 1 steps of a message and a sum, and as many of a message.
double ring_of(double message_s, const FakeParameters& parameters) {
  const double sum_s = parameters.reduce.seconds(chunk_bytes) + parameters.event_s;
  return (ranks - 1) * (2 * message_s + sum_s);
}

void expect_close(double got, double expected) { EXPECT_NEAR(got, expected, 1e-9 * expected); }

TEST(ExecutorTimes, ring_inside_one_gpu) {
  const FakeParameters parameters{.memory_operations = ranks, .peers = {}};
  expect_close(ring_on(parameters, {}),
               ring_of(parameters.d2d.seconds(chunk_bytes) + parameters.event_s, parameters));
}

TEST(ExecutorTimes, ring_inside_one_gpu_whose_memory_is_shared) {
  // All ranks copy, and then all add: each waits for the others' turns.
  const FakeParameters parameters{.launch_s = 0, .event_s = 0, .memory_operations = 1, .peers = {}};
  const double copy_s = parameters.d2d.seconds(chunk_bytes),
               sum_s = parameters.reduce.seconds(chunk_bytes);
  expect_close(ring_on(parameters, {}), (ranks - 1) * ranks * (2 * copy_s + sum_s));
}

TEST(ExecutorTimes, ring_of_peers) {
  const FakeParameters parameters{.gpus = ranks, .peers = all_peers(ranks)};
  expect_close(ring_on(parameters, {}),
               ring_of(parameters.peer.seconds(chunk_bytes) + parameters.event_s, parameters));
}

TEST(ExecutorTimes, staged_ring_by_segments) {
  const FakeParameters parameters{.gpus = ranks, .peers = {}};
  for (const std::size_t segments : {1u, 2u, 3u, 10u}) {
    const std::size_t segment = chunk_bytes / segments;
    const double down = parameters.d2h.seconds(segment) + parameters.event_s,
                 up = parameters.h2d.seconds(segment) + parameters.event_s,
                 rest = static_cast<double>(segments) - 1;
    for (const int buffers : {2, 3, 8})
      expect_close(ring_on(parameters, staged(segment, buffers)),
                   ring_of(down + rest * std::max(down, up) + up + parameters.event_s, parameters));
    // One buffer: down and up take turns.
    expect_close(ring_on(parameters, staged(segment, 1)),
                 ring_of((rest + 1) * (down + up) + parameters.event_s, parameters));
  }
}

TEST(ExecutorTimes, callbacks_take_their_own_time) {
  const FakeParameters parameters{.gpus = ranks, .peers = all_peers(ranks)};
  ExecutorOptions called;
  called.progress = ProgressBy::callbacks;
  const double message_s = parameters.peer.seconds(chunk_bytes) + parameters.callback_s,
               sum_s = parameters.reduce.seconds(chunk_bytes) + parameters.callback_s;
  expect_close(ring_on(parameters, called), (ranks - 1) * (2 * message_s + sum_s));
}

}  // namespace
}  // namespace ringscope::cuda
