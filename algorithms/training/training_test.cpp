// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every rank end a step with the sum of all gradients, whatever the strategy, the number of
// ranks, and who exchanges them?
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/catalogue_cases_for_test.hpp"
#include "algorithms/parameter_server/roles.hpp"
#include "algorithms/training/training.hpp"

namespace ringscope {
namespace {

constexpr int most_ranks = 9;
constexpr std::size_t kib = 1024;

/// 17 layers of one to three tensors; 7 KiB of gradients.
Training small_model() {
  Training training;
  training.model = "small";
  for (std::uint64_t i = 0; i < 17; ++i) {
    std::vector<std::uint64_t> tensors(1 + i % 3, 1 + i * 7 % 50);
    tensors.front() += i == 5 ? 700 : 0;
    training.layers.push_back({"", tensors, Duration(1), Duration(2)});
  }
  training.bucket = training.fusion = training.bytes_per_pack = kib;
  training.input.record = 3;  // that multi_gpu_model sends, with the outputs
  training.layers.back().outputs = 5;
  return training;
}

std::vector<Overlap> overlaps(const Algorithm& strategy) {
  if (strategy.nonblocking == 0) return {Overlap::none, Overlap::thread};
  return {Overlap::none, Overlap::nonblocking, Overlap::thread};
}

std::size_t items_of(const Training& training) {
  return (parameters_of(training.layers) * training.element + parameter_bytes - 1) /
         parameter_bytes;
}

LoopbackResult train(const Algorithm& strategy, int ranks, const Training& training,
                     Options options = {}, const LoopbackOptions& how = {}) {
  options.training = &training;
  options.given.item_bytes = parameter_bytes;
  return run_loopback(strategy, ranks, items_of(training), options, item_of, how);
}

/// A server adds what is pushed to what it holds, so its own numbers are in the sum.
float sum_of_item(std::size_t index, int first, int end) {
  float sum = 0;
  for (int rank = first; rank < end; ++rank) sum += item_of(rank, index);
  return sum;
}

bool has_servers(const Algorithm& strategy) {
  return std::ranges::find(strategy.options, "exchange") == strategy.options.end();
}

/// The strategies, or those among them that share the gradients by an allreduce.
std::vector<Algorithm> strategies(bool by_allreduce) {
  std::vector<Algorithm> all = algorithms_of("training");
  if (by_allreduce) std::erase_if(all, has_servers);
  return all;
}

std::vector<Algorithm> strategies_with_servers() {
  std::vector<Algorithm> all = strategies(false);
  std::erase_if(all, [](const Algorithm& one) {
    return !has_servers(one) || std::ranges::find(one.options, "n_push") != one.options.end();
  });
  return all;
}

class Strategies : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(training, Strategies, testing::ValuesIn(strategies(false)), test_name);
/// Those that go by options of data parallelism alone.
std::vector<Algorithm> data_parallel() {
  std::vector<Algorithm> all = strategies(true);
  std::erase_if(all, [](const Algorithm& one) { return one.name == "llm"; });
  return all;
}

class DataParallel : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(training, DataParallel, testing::ValuesIn(data_parallel()), test_name);
class ByAllreduce : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(training, ByAllreduce, testing::ValuesIn(strategies(true)), test_name);

void expect_sums(const LoopbackResult& result, int ranks, double steps) {
  const auto before = static_cast<float>(std::pow(ranks, steps - 1));
  for (const std::vector<float>& data : result.data)
    for (std::size_t i = 0; i < data.size(); ++i)
      ASSERT_EQ(data[i], before * sum_of_item(i, 0, ranks)) << "item " << i;
}

TEST_P(ByAllreduce, sum_the_gradients_of_all_devices) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks)
    for (const Overlap overlap : overlaps(GetParam()))
      for (const LoopbackOptions& how : ways_to_run(GetParam()))
        for (int steps : {1, 2}) {
          Training training = small_model();
          training.overlap = overlap;
          SCOPED_TRACE(testing::Message() << ranks << " ranks, overlap " << int(overlap));
          expect_sums(train(GetParam(), ranks, training, {.steps = steps}, how), ranks, steps);
        }
}

TEST_P(ByAllreduce, sum_with_every_allreduce_of_one_thread) {
  for (const Algorithm& allreduce : algorithms_of("allreduce")) {
    if (threads_of(allreduce, {}) > 1 || allreduce.nonblocking > 0) continue;
    Training training = small_model();
    training.exchange = &allreduce;
    training.overlap = Overlap::thread;
    SCOPED_TRACE(allreduce.name);
    expect_sums(train(GetParam(), 6, training, {.segment = 10}), 6, 1);
  }
}

TEST_P(Strategies, prepare_input_and_write_checkpoints_beside_the_exchange) {
  Training training = small_model();
  training.overlap = Overlap::thread;
  training.input = {.rate = 100, .record = 3, .prefetch = 2};
  training.checkpoint = {.every = 2, .bytes = 100};
  const std::vector<int> hosts = {0, 0, 0, 1, 1};
  for (const LoopbackOptions& how : ways_to_run(GetParam())) {
    const auto result =
        train(GetParam(), 5, training, {.steps = 5, .given = {.hosts = &hosts}}, how);
    const std::size_t devices = has_servers(GetParam()) ? 4 : 5;
    for (const char* what : {"loaded", "computed", "exchanged", "step"})
      EXPECT_EQ(result.observed.at(what).size(), 5 * devices) << what;
  }
}

class WithServers : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(training, WithServers, testing::ValuesIn(strategies_with_servers()),
                         test_name);

TEST_P(WithServers, devices_pull_what_the_servers_have_summed) {
  const Algorithm& strategy = GetParam();
  for (int ranks = 2; ranks <= most_ranks; ++ranks)
    for (int servers : std::set<int>{1, ranks / 2, ranks - 1})
      for (const Overlap overlap : overlaps(strategy))
        for (const auto& [bucket, whole_below] : {std::pair{std::size_t{0}, std::size_t{0}},
                                                  {std::size_t{0}, kib},
                                                  {kib, std::size_t{0}},
                                                  {kib, 1024 * kib}}) {
          Training training = small_model();
          training.overlap = overlap;
          training.bucket = bucket;
          training.whole_below = whole_below;
          const int steps = 2, devices = ranks - servers;
          const auto result =
              train(strategy, ranks, training, {.servers = servers, .steps = steps});
          SCOPED_TRACE(testing::Message() << ranks << " ranks, " << servers << " servers");
          for (std::size_t i = 0; i < result.data[0].size(); ++i) {
            const float pushed = steps * sum_of_item(i, 0, devices);
            const float pulled = result.scratch[0][i];
            int holders = 0;
            for (int server = devices; server < ranks; ++server)
              if (pulled == pushed + item_of(server, i)) ++holders;
            ASSERT_EQ(holders, 1) << "item " << i;
            for (int device = 1; device < devices; ++device)
              ASSERT_EQ(result.scratch[static_cast<std::size_t>(device)][i], pulled);
          }
        }
}

class AsynchronousServers : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(
    training, AsynchronousServers,
    testing::Values(*find_algorithm("training", "asynchronous_parameter_server"),
                    *find_algorithm("training", "stale_synchronous_parameter_server")),
    test_name);

/// Pushes of T steps, one of each n and one after the last: ceil(T/n).
int pushes_of(int steps, int every) { return (steps + every - 1) / every; }

// Every device ends with a fetch after its last push, the last one of all with all pushes.
TEST_P(AsynchronousServers, sum_all_pushes_of_all_devices) {
  for (int ranks = 2; ranks <= most_ranks; ++ranks)
    for (const auto& [push, fetch] : {std::pair{1, 1}, {2, 1}, {1, 3}, {3, 2}, {9, 9}})
      for (const Overlap overlap : overlaps(GetParam()))
        for (const LoopbackOptions& how : ways_to_run(GetParam())) {
          Training training = small_model();
          training.overlap = overlap;
          training.n_push = push, training.n_fetch = fetch;
          const auto result = train(GetParam(), ranks, training, {.steps = 5}, how);
          SCOPED_TRACE(testing::Message() << ranks << " ranks, " << push << ", " << fetch);
          const auto times = static_cast<float>(pushes_of(5, push));
          for (std::size_t i = 0; i < result.data[0].size(); ++i)
            ASSERT_EQ(result.data.back()[i],
                      item_of(ranks - 1, i) + times * sum_of_item(i, 0, ranks - 1));
        }
}

TEST_P(AsynchronousServers, staleness_of_each_push_is_observed) {
  const int ranks = 5, steps = 7;
  for (const int every : {1, 2, 7}) {
    Training training = small_model();
    training.bucket = std::size_t{1} << 20;  // one
    training.n_push = every;
    const auto result = train(GetParam(), ranks, training, {.steps = steps});
    const auto& staleness = result.observed.at("staleness");
    EXPECT_EQ(std::ssize(staleness), pushes_of(steps, every) * (ranks - 1));
    // Pushes of a device itself are none of others.
    const double most = (ranks - 2) * pushes_of(steps, every);
    EXPECT_TRUE(std::ranges::all_of(staleness, [&](double one) { return one <= most; }));
  }
}

TEST(AsynchronousServers, a_lone_device_is_never_stale) {
  Training training = small_model();
  training.n_push = 2, training.n_fetch = 3;
  const auto result = train(*find_algorithm("training", "asynchronous_parameter_server"), 2,
                            training, {.steps = 6});
  for (const double staleness : result.observed.at("staleness")) EXPECT_EQ(staleness, 0);
}

/// Plain; elements of two bytes; compressed, either way; with a broadcast before the steps; fewer
/// pushes and fetches; small tensors whole on a server.
std::vector<Training> variants(const Algorithm& strategy) {
  std::vector<Training> all(7, small_model());
  all[1].element = 2;
  all[2].compression = {Compression::Kind::sparse, 0.1, Duration(1), Duration(1)};
  all[3].compression = {Compression::Kind::low_rank, 0.3, Duration(1), Duration(1)};
  if (!has_servers(strategy) && strategy.name != "llm")
    all[4].startup = {find_algorithm("broadcast", "binomial"), kib};
  all[4].serialisation = {Duration(1), Duration(1)};
  all[4].staging = Duration(1);
  all[5].n_push = 2;
  all[5].n_fetch = 3;
  all[6].bucket = 0;
  all[6].whole_below = kib;
  return all;
}

TEST_P(Strategies, send_what_they_declare) {
  for (Training training : variants(GetParam())) {
    // Time decides how often Horovod negotiates beside backward.
    if (GetParam().varies != Varies::all) training.overlap = Overlap::thread;
    const Options options = {
        .steps = 2, .training = &training, .given = {.item_bytes = parameter_bytes}};
    for (int ranks = 2; ranks <= most_ranks; ++ranks) {
      const auto result = train(GetParam(), ranks, training, options);
      const Cost declared = GetParam().cost(ranks, items_of(training), options);
      EXPECT_EQ(result.counted.messages, declared.messages);
      EXPECT_EQ(result.counted.items, declared.items);
      EXPECT_GE(result.counted.steps, declared.steps);
      EXPECT_LE(result.scratch_used, GetParam().scratch_items(ranks, items_of(training), options));
    }
  }
}

TEST_P(DataParallel, sum_gradients_of_two_bytes) {
  for (const int ranks : {1, 4, 5}) {
    Training training = small_model();
    training.element = 2;
    expect_sums(train(GetParam(), ranks, training), ranks, 1);
  }
}

/// The buckets that a strategy sums: each item is in the first part of one, or is not sent.
TEST_P(DataParallel, sum_what_goes_of_compressed_gradients_and_keep_the_rest) {
  for (const Compression::Kind kind : {Compression::Kind::sparse, Compression::Kind::low_rank})
    for (const double ratio : {0.01, 0.25, 1.0})
      for (const int ranks : {1, 2, 5, 8})
        for (const LoopbackOptions& how : ways_to_run(GetParam())) {
          Training training = small_model();
          training.overlap = Overlap::none;  // so that Horovod fuses the same each time
          training.compression = {kind, ratio, {}, {}};
          const auto result = train(GetParam(), ranks, training, {}, how);
          std::size_t summed = 0;
          for (std::size_t i = 0; i < result.data[0].size(); ++i) {
            const bool there = result.data[0][i] == sum_of_item(i, 0, ranks);
            summed += there ? 1 : 0;
            for (int rank = 0; rank < ranks; ++rank)
              ASSERT_EQ(result.data[static_cast<std::size_t>(rank)][i],
                        there ? sum_of_item(i, 0, ranks) : item_of(rank, i));
          }
          const auto items = static_cast<double>(items_of(training));
          EXPECT_GE(static_cast<double>(summed), ratio * items);
          const double most_buckets = 20;  // each rounds up
          if (ranks == 1) continue;
          EXPECT_LE(static_cast<double>(summed), ratio * items + most_buckets);
        }
}

// All begin with what rank 0 has, which each then adds.
TEST_P(DataParallel, begin_with_the_variables_of_the_first_device) {
  for (const Algorithm& broadcast : algorithms_of("broadcast")) {
    if (threads_of(broadcast, {}) > 1) continue;
    for (const std::size_t bucket : {std::size_t{0}, kib}) {
      Training training = small_model();
      training.startup = {&broadcast, bucket};
      const auto result = train(GetParam(), 6, training, {.segment = 10});
      SCOPED_TRACE(broadcast.name);
      for (const std::vector<float>& data : result.data)
        for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], 6 * item_of(0, i));
      EXPECT_EQ(result.observed.at("started").size(), 6U);
    }
  }
}

TEST(ParameterServerTraining, servers_sum_what_is_pushed_of_compressed_gradients) {
  const Algorithm& strategy = *find_algorithm("training", "parameter_server");
  Training training = small_model();
  training.compression = {Compression::Kind::sparse, 0.25, Duration(1), Duration(1)};
  training.serialisation = {Duration(1), Duration(1)};
  training.bucket = std::size_t{1} << 20;
  const int ranks = 5;
  const auto result = train(strategy, ranks, training);
  const std::size_t items = result.data[0].size(), kept = (items + 3) / 4;
  for (std::size_t i = 0; i < items; ++i)
    for (int device = 0; device + 1 < ranks; ++device)
      ASSERT_EQ(result.scratch[static_cast<std::size_t>(device)][i],
                item_of(ranks - 1, i) + (i < kept ? sum_of_item(i, 0, ranks - 1) : 0));
}

}  // namespace
}  // namespace ringscope
