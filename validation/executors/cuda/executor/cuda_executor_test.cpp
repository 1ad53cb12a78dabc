// SPDX-License-Identifier: LGPL-2.1-or-later
// Do all programs compute on GPUs what the loopback executor says, whatever the path, however
// streams interleave?
#include "validation/executors/cuda/executor/cuda_executor.hpp"

#include <gmock/gmock.h>

#include "algorithms/groups/on_group.hpp"
#include "validation/executors/cuda/executor/gpu_cases_for_test.hpp"

namespace ringscope::cuda {
namespace {

/// Ways to set the GPUs up and to use them.
struct Way {
  int gpus = 1;
  bool peers = false;
  ExecutorOptions options;
  std::uint64_t seed = 0;
};

FakeParameters parameters_of(const Way& way) {
  FakeParameters parameters{.gpus = way.gpus, .memory_bytes = 1 << 20, .peers = {}};
  if (way.peers) parameters.peers = all_peers(way.gpus);
  parameters.seed = way.seed;
  parameters.jitter = way.seed == 0 ? 0 : 5;
  return parameters;
}

std::vector<Way> ways() {
  ExecutorOptions direct;
  direct.transfers.segment_bytes = 1024;
  ExecutorOptions pageable = staged(16, 2);
  pageable.transfers.host_memory = HostMemory::pageable;
  ExecutorOptions called = staged(16, 1);
  called.progress = ProgressBy::callbacks;
  return {{1, false, direct, 0},       {1, false, staged(16, 2), 3}, {2, true, direct, 5},
          {2, false, staged(8, 3), 7}, {3, false, direct, 9},        {3, false, pageable, 11},
          {2, false, called, 13},      {3, true, called, 17}};
}

class OnGpus : public testing::TestWithParam<Algorithm> {};

TEST_P(OnGpus, gives_the_bits_of_the_loopback_executor) {
  const Algorithm& algorithm = GetParam();
  const Options options{.segment = 7};
  for (int ranks = algorithm.least_ranks; ranks <= 9; ++ranks) {
    const auto p = static_cast<std::size_t>(ranks);
    for (const std::size_t items : {std::size_t{0}, std::size_t{1}, p - 1, p + 1, 11 * p + 2}) {
      const auto expected = run_loopback(algorithm, ranks, items, options, item_of).data;
      for (const Way& way : ways()) {
        SCOPED_TRACE(testing::Message() << "ranks " << ranks << ", items " << items << ", GPUs "
                                        << way.gpus << ", seed " << way.seed);
        FakeGpus gpus(parameters_of(way));
        ASSERT_EQ(run_on(gpus, way.options, algorithm, ranks, items, options).data, expected);
      }
    }
  }
}

std::vector<Algorithm> replayable() {
  std::vector<Algorithm> chosen;
  for (const Algorithm& algorithm : catalogue())
    if (algorithm.nonblocking == 0 && algorithm.varies != Varies::all &&
        !relies_on_buffering(algorithm))
      chosen.push_back(algorithm);
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OnGpus, testing::ValuesIn(replayable()), test_name);

TEST(CudaExecutor, without_the_order_between_streams_the_result_is_wrong) {
  const Algorithm& ring = *find_algorithm("allreduce", "ring");
  constexpr int ranks = 4;
  const auto expected = run_loopback(ring, ranks, 100, {}, item_of).data;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    FakeGpus gpus({.gpus = 2, .peers = {}, .seed = seed, .jitter = 5});
    gpus.forget_waits();
    EXPECT_NE(run_on(gpus, staged(16, 2), ring, ranks, 100).data, expected) << seed;
  }
}

/// Even ranks sum among themselves, and odd ones; then pairs of neighbours do.
Task halves_and_pairs(Communicator comm, Workspace work, Options options) {
  const Algorithm* ring = find_algorithm("allreduce", "ring");
  const Communicator half = co_await comm.split(comm.rank() % 2, -comm.rank());
  co_await on_group(half, *ring, work, options);
  const Communicator pair = co_await comm.split(comm.rank() / 2, comm.rank());
  co_await on_group(pair, *ring, work, options);
}

TEST(CudaExecutor, groups_of_a_split_keep_apart) {
  Algorithm algorithm = *find_algorithm("allreduce", "ring");
  algorithm.name = "halves_and_pairs";
  algorithm.run = halves_and_pairs;
  algorithm.scratch_items = [](int, std::size_t items, Options) { return items; };
  const auto expected = run_loopback(algorithm, 8, 40, {}, item_of).data;
  for (const Way& way : ways()) {
    FakeGpus gpus(parameters_of(way));
    EXPECT_EQ(run_on(gpus, way.options, algorithm, 8, 40).data, expected) << way.seed;
  }
}

TEST(CudaExecutor, a_run_after_another_one_begins_anew) {
  const Algorithm& ring = *find_algorithm("allreduce", "ring");
  FakeGpus gpus({});
  CudaExecutor executor(gpus, in_turn(3, 1), {});
  executor.allocate(6, ring.scratch_items(3, 6, {}));
  const std::vector<float> data(6, 1);
  for (int repetition = 0; repetition < 3; ++repetition) {
    for (int rank = 0; rank < 3; ++rank) executor.fill(rank, data);
    executor.run(ring, {}, no_deadline);
    std::vector<float> got(6);
    executor.read(2, got);
    EXPECT_THAT(got, testing::Each(3));
  }
  EXPECT_EQ(executor.rank(0).writes.last(0), "allgather, step 0, irecv");
}

TEST(CudaExecutor, a_message_takes_the_shortest_path_that_there_is) {
  FakeParameters parameters{.gpus = 3, .peers = all_peers(3)};
  parameters.peers[0][2] = false;
  FakeGpus gpus(parameters);
  const CudaExecutor free_to_choose(gpus, {0, 0, 1, 2}, {});
  EXPECT_EQ(free_to_choose.path(0, 1), Path::device);
  EXPECT_EQ(free_to_choose.path(0, 2), Path::peer);
  EXPECT_EQ(free_to_choose.path(0, 3), Path::staged);
  EXPECT_EQ(free_to_choose.path(3, 0), Path::peer);
  const CudaExecutor all_staged(gpus, {0, 0}, staged(1024, 2));
  EXPECT_EQ(all_staged.path(0, 1), Path::staged);
}

}  // namespace
}  // namespace ringscope::cuda
