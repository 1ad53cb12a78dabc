// SPDX-License-Identifier: LGPL-2.1-or-later
// Do fake GPUs behave as streams, events and engines do, and do they show who does not wait?
#include "validation/executors/cuda/testing/fake_gpus.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {
namespace {

constexpr std::size_t items = 1000, bytes = items * sizeof(float);

struct FakeTest : testing::Test {
  FakeGpus gpus{{.gpus = 2, .peers = {}}};
  const FakeParameters& given = gpus.parameters();
  std::vector<float> host = std::vector<float>(items, 3);

  /// Vector of this many floats on one GPU, all of one value.
  Memory vector_of(int gpu, float value) {
    Memory memory(gpus, gpu, bytes);
    host.assign(items, value);
    const Lane lane(gpus, gpu);
    gpus.copy(lane.stream(), memory.bytes(), host.data(), bytes);
    lane.finish();
    return memory;
  }
  float first_of(const Memory& memory, int gpu) {
    const Lane lane(gpus, gpu);
    gpus.copy(lane.stream(), host.data(), memory.bytes(), bytes);
    lane.finish();
    return host.front();
  }
};

TEST_F(FakeTest, what_is_in_a_stream_takes_place_when_somebody_waits) {
  const Memory a = vector_of(0, 1), b = vector_of(0, 5);
  const Lane lane(gpus, 0);
  const double begun = gpus.now();
  gpus.reduce(lane.stream(), a.floats(), b.floats(), items);
  gpus.copy(lane.stream(), b.bytes(), a.bytes(), bytes);
  EXPECT_EQ(gpus.now(), begun);
  lane.finish();
  EXPECT_NEAR(gpus.now() - begun,
              given.reduce.seconds(bytes) + given.d2d.seconds(bytes) + given.event_s, 1e-15);
  EXPECT_EQ(first_of(b, 0), 6);
}

TEST_F(FakeTest, who_reads_without_waiting_reads_rubbish) {
  const Memory a = vector_of(0, 1), b = vector_of(0, 2), c = vector_of(1, 3);
  const Memory staging(gpus, HostMemory::pinned, bytes);
  const Lane down(gpus, 0), up(gpus, 1);
  gpus.copy(down.stream(), staging.bytes(), a.bytes(), bytes);
  gpus.copy(up.stream(), c.bytes(), staging.bytes(), bytes);
  up.finish();
  down.finish();
  EXPECT_TRUE(std::isnan(first_of(c, 1)));
  gpus.copy(down.stream(), staging.bytes(), b.bytes(), bytes);
  gpus.record(down.stream(), down.event());
  gpus.wait(up.stream(), down.event());
  gpus.copy(up.stream(), c.bytes(), staging.bytes(), bytes);
  up.finish();
  EXPECT_EQ(first_of(c, 1), 2);
}

TEST_F(FakeTest, a_wait_is_for_the_record_before_it) {
  const Lane slow(gpus, 0), fast(gpus, 0), third(gpus, 1);
  gpus.spin(slow.stream(), 1);
  gpus.record(slow.stream(), slow.event());
  gpus.wait(third.stream(), slow.event());
  gpus.record(fast.stream(), slow.event());
  EXPECT_FALSE(gpus.reached(slow.event()));
  const double begun = gpus.now();
  third.finish();
  EXPECT_GT(gpus.now() - begun, 1);
  EXPECT_TRUE(gpus.reached(slow.event()));
}

TEST_F(FakeTest, copies_of_one_direction_share_an_engine) {
  const Memory a(gpus, 0, bytes), b(gpus, 0, bytes);
  const Memory from(gpus, HostMemory::pinned, bytes), to(gpus, HostMemory::pinned, bytes);
  const Lane first(gpus, 0), second(gpus, 0);
  double begun = gpus.now();
  gpus.copy(first.stream(), a.bytes(), from.bytes(), bytes);
  gpus.copy(second.stream(), b.bytes(), from.bytes(), bytes);
  first.finish();
  second.finish();
  EXPECT_NEAR(gpus.now() - begun, 2 * given.h2d.seconds(bytes) + given.event_s, 1e-15);
  begun = gpus.now();
  gpus.copy(first.stream(), a.bytes(), from.bytes(), bytes);
  gpus.copy(second.stream(), to.bytes(), b.bytes(), bytes);
  first.finish();
  second.finish();
  EXPECT_NEAR(gpus.now() - begun,
              std::max(given.h2d.seconds(bytes), given.d2h.seconds(bytes)) + given.event_s, 1e-15);
}

TEST_F(FakeTest, a_copy_of_pageable_memory_is_over_when_the_call_returns) {
  const Memory a(gpus, 0, bytes), pageable(gpus, HostMemory::pageable, bytes);
  const Lane lane(gpus, 0);
  const double begun = gpus.now();
  gpus.copy(lane.stream(), a.bytes(), pageable.bytes(), bytes);
  EXPECT_NEAR(gpus.now() - begun, given.pageable.seconds(bytes), 1e-15);
}

TEST_F(FakeTest, memory_ends_and_comes_back) {
  const std::size_t all = gpus.info(0).memory_bytes;
  {
    const Memory most(gpus, 0, all - 8);
    EXPECT_EQ(gpus.info(0).free_bytes, 8U);
    EXPECT_THROW(Memory(gpus, 0, 9), GpuError);
    EXPECT_EQ(gpus.info(1).free_bytes, all);
  }
  EXPECT_EQ(gpus.info(0).free_bytes, all);
}

TEST_F(FakeTest, bad_addresses_are_refused) {
  const Memory a(gpus, 0, bytes), other(gpus, 1, bytes);
  const Lane lane(gpus, 0);
  EXPECT_THROW(gpus.copy(lane.stream(), a.bytes() + 8, host.data(), bytes), GpuError);
  EXPECT_THROW(gpus.reduce(lane.stream(), a.floats(), other.floats(), items), GpuError);
  EXPECT_THROW(gpus.record(lane.stream(), Lane(gpus, 1).event()), GpuError);
  EXPECT_THROW(gpus.enable_peer_access(0, 1), GpuError);
}

TEST_F(FakeTest, it_fails_and_hangs_when_told_to) {
  const Lane lane(gpus, 0), other(gpus, 1);
  gpus.fail_call(2);
  gpus.launch(lane.stream());
  EXPECT_THROW(gpus.launch(lane.stream()), GpuError);
  gpus.hang_operation(1);
  gpus.launch(lane.stream());
  gpus.record(lane.stream(), lane.event());
  other.finish();
  for (int i = 0; i < 100; ++i) gpus.idle();
  EXPECT_FALSE(gpus.reached(lane.event()));
}

}  // namespace
}  // namespace ringscope::cuda
