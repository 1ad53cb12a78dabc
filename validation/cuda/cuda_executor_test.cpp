// Do all texts compute on GPUs what the loopback executor says, whatever the path, however streams
// interleave; and do they take the time that their operations add up to?
#include "validation/cuda/cuda_executor.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "algorithms/catalogue_cases.hpp"
#include "validation/cuda/fake_gpus.hpp"

namespace ringscope::cuda {
namespace {

constexpr double no_deadline = std::numeric_limits<double>::infinity();

/// Ways to set the GPUs up and to use them.
struct Way {
  int gpus = 1;
  bool peers = false;
  ExecutorOptions options;
  std::uint64_t seed = 0;
};

FakeParameters parameters_of(const Way& way) {
  FakeParameters parameters{.gpus = way.gpus, .memory_bytes = 1 << 20, .peers = {}};
  const auto gpus = static_cast<std::size_t>(way.gpus);
  if (way.peers) parameters.peers.assign(gpus, std::vector<bool>(gpus, true));
  parameters.seed = way.seed;
  parameters.jitter = way.seed == 0 ? 0 : 5;
  return parameters;
}

std::vector<Way> ways() {
  const ExecutorOptions direct;
  ExecutorOptions staged;
  staged.transfers = {.always_staged = true, .segment_bytes = 16, .buffers = 2};
  ExecutorOptions pageable = staged;
  pageable.transfers.host_memory = HostMemory::pageable;
  ExecutorOptions called = staged;
  called.progress = ProgressBy::callbacks;
  called.transfers.buffers = 1;
  return {{1, false, direct, 0},  {1, false, staged, 3}, {2, true, direct, 5},
          {2, false, staged, 7},  {3, false, direct, 9}, {3, false, pageable, 11},
          {2, false, called, 13}, {3, true, called, 17}};
}

std::vector<int> in_turn(int ranks, int gpus) {
  std::vector<int> gpu_of_rank;
  for (int rank = 0; rank < ranks; ++rank) gpu_of_rank.push_back(rank % gpus);
  return gpu_of_rank;
}

std::vector<float> initial(int rank, std::size_t items) {
  std::vector<float> data(items);
  for (std::size_t i = 0; i < items; ++i) data[i] = item_of(rank, i);
  return data;
}

/// One run on fresh GPUs: the data of each rank at its end.
std::vector<std::vector<float>> run_on(FakeGpus& gpus, const Way& way, const Algorithm& algorithm,
                                       int ranks, std::size_t items, const Options& options) {
  CudaExecutor executor(gpus, in_turn(ranks, way.gpus), way.options);
  executor.allocate(items, algorithm.scratch_items(ranks, items, options));
  for (int rank = 0; rank < ranks; ++rank) executor.fill(rank, initial(rank, items));
  executor.run(algorithm, options, no_deadline);
  std::vector<std::vector<float>> data(static_cast<std::size_t>(ranks), std::vector<float>(items));
  for (int rank = 0; rank < ranks; ++rank)
    executor.read(rank, data[static_cast<std::size_t>(rank)]);
  return data;
}

class OnGpus : public testing::TestWithParam<Algorithm> {};

TEST_P(OnGpus, gives_the_bits_of_the_loopback_executor) {
  const Algorithm& algorithm = GetParam();
  for (int ranks = algorithm.least_ranks; ranks <= 9; ++ranks) {
    for (const std::size_t items :
         {std::size_t{0}, std::size_t{1}, static_cast<std::size_t>(ranks) - 1,
          static_cast<std::size_t>(ranks) + 1, std::size_t{100}}) {
      for (const Way& way : ways()) {
        SCOPED_TRACE(testing::Message() << "ranks " << ranks << ", items " << items << ", GPUs "
                                        << way.gpus << ", seed " << way.seed);
        FakeGpus gpus(parameters_of(way));
        const Options options{.segment = 7};
        const auto expected = run_loopback(algorithm, ranks, items, options, item_of).data;
        const auto got = run_on(gpus, way, algorithm, ranks, items, options);
        ASSERT_EQ(got, expected);
      }
    }
  }
}

std::vector<Algorithm> replayable() {
  std::vector<Algorithm> chosen;
  for (const Algorithm& algorithm : catalogue())
    if (algorithm.nonblocking == 0 && algorithm.varies == Varies::nothing &&
        !relies_on_buffering(algorithm))
      chosen.push_back(algorithm);
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OnGpus, testing::ValuesIn(replayable()), test_name);

}  // namespace
}  // namespace ringscope::cuda
