// SPDX-License-Identifier: LGPL-2.1-or-later
// Does what is done to gradients on their way take what a pencil says: smaller elements,
// compression, serialisation, staging, and the broadcast before the first step?
#include <fmt/format.h>

#include <cmath>

#include "algorithms/training/training.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::training_exchange_test {
namespace {

class ExchangeTime : public SimulationTest {};

// Two layers alike: 5 ms forward, 10 ms backward and a million parameters each, one tensor.
constexpr double compute = 0.030, parameters = 2e6, rate = 1e9;
const std::string model =
    "{records: 1000, record: 1 kB, batch: 10, step: 30 ms, layers: ["
    "{name: a, parameters: 1000000, flops: 1}, {name: b, parameters: 1000000, flops: 1}]}";

/// One device on each host, without latency; a library that costs nothing but the wire.
Scenario training(const std::string& strategy, const std::string& options, int hosts = 2,
                  const std::string& library = "ideal") {
  return scenario_of(fmt::format(
      "cluster: {{network: star, hosts: {0}, host: {{type: simple, cores: 4}}, link: {{bandwidth: "
      "1 GB/s, latency: 0 s}}}}\nlibrary: {1}\nplacement: 1x{0}\njob: {{collective: training, "
      "algorithm: {2}, options: {{model: {3}, overlap: none, {4}}}}}\n",
      hosts, library, strategy, model, options));
}

/// A ring's sum of so many bytes.
double allreduce(int ranks, double bytes) { return 2.0 * (ranks - 1) / ranks * bytes / rate; }

TEST_F(ExchangeTime, goes_with_the_size_of_an_element) {
  for (const double element : {1, 2, 4, 8})
    for (const std::string strategy : {"ddp", "multi_worker_mirrored"})
      expect_seconds(run_again(training(strategy, fmt::format("element: {} B", element))).time_s,
                     compute + allreduce(2, parameters * element));
  // Two servers' worth of ways: a push and a pull of all.
  expect_seconds(run(training("parameter_server", "element: 2 B")).time_s,
                 compute + 2 * parameters * 2 / rate);
}

// A library counts numbers, not bytes: 6 of them on 8 ranks are fewer than ranks, 12 are not.
TEST_F(ExchangeTime, lets_a_library_count_numbers_of_that_size) {
  const auto read = [](const std::string& element) {
    return training("ddp", "element: " + element).job.options.number_bytes;
  };
  EXPECT_EQ(read("2 B"), 2U);
  EXPECT_EQ(read("4 B"), 4U);
}

// An allgather: each rank sends its part to all, and gets those of all.
TEST_F(ExchangeTime, sparse_gradients_take_an_allgather_of_their_parts) {
  for (const int ranks : {2, 4, 8})
    for (const double ratio : {0.001, 0.01, 0.25}) {
      const double bytes = parameters * 4, part = ratio * bytes;
      const std::string options =
          fmt::format("compression: {{ratio: {}, cost: 1 ns/B, decompress_cost: 3 ns/B}}", ratio);
      expect_seconds(run_again(training("multi_worker_mirrored", options, ranks)).time_s,
                     compute + bytes * 1e-9 + (ranks - 1) * part / rate + ranks * part * 3e-9);
    }
}

TEST_F(ExchangeTime, low_rank_gradients_take_an_allreduce_of_their_factors) {
  for (const int ranks : {2, 4}) {
    const double bytes = parameters * 4, part = 0.01 * bytes;
    expect_seconds(
        run_again(
            training("ddp",
                     "bucket: 100 MB, compression: {kind: low_rank, ratio: 0.01, cost: 1 ns/B, "
                     "decompress_cost: 3 ns/B}",
                     ranks))
            .time_s,
        compute + bytes * 1e-9 + allreduce(ranks, part) + part * 3e-9);
  }
}

// (P-1) parts against 2 (P-1)/P of all: from a ratio of 2/P on an allgather sends more.
TEST_F(ExchangeTime, sparse_gradients_save_nothing_above_two_per_ranks) {
  const int ranks = 8;
  const auto at = [](const std::string& options) {
    return simulate(training("multi_worker_mirrored", options, ranks), {}).time_s;
  };
  const double plain = at("element: 4 B");
  EXPECT_NEAR(at("compression: {ratio: 0.25}"), plain, 1e-9);
  EXPECT_GT(at("compression: {ratio: 0.26}"), plain);
  EXPECT_LT(at("compression: {ratio: 0.24}"), plain);
}

TEST_F(ExchangeTime, pushed_part_takes_only_the_push) {
  const double bytes = parameters * 4;
  expect_seconds(run(training("parameter_server",
                              "compression: {ratio: 0.01, cost: 1 ns/B, decompress_cost: 2 ns/B}"))
                     .time_s,
                 compute + bytes * 1e-9 + 0.01 * bytes / rate + 0.01 * bytes * 2e-9 + bytes / rate);
}

// One device, one server, one bucket of two tensors: each way is serialised and deserialised.
TEST_F(ExchangeTime, remote_calls_cost_both_ends_in_both_directions) {
  const double bytes = parameters * 4;
  expect_seconds(
      run(training("parameter_server", "serialisation: {tensor: 50 us, cost: 1 ns/B}")).time_s,
      compute + 2 * bytes / rate + 4 * (2 * 50e-6 + bytes * 1e-9));
}

// A ring of P ranks: each sends and takes 2 (P - 1) calls of a P-th of the pack.
TEST_F(ExchangeTime, remote_calls_in_a_ring_cost_both_ends_per_step) {
  const double bytes = parameters * 4;
  for (const int ranks : {2, 4, 8}) {
    const int calls = 2 * (ranks - 1);
    expect_seconds(run_again(training("multi_worker_mirrored",
                                      "serialisation: {tensor: 50 us, cost: 1 ns/B}", ranks))
                       .time_s,
                   compute + allreduce(ranks, bytes) + 2 * calls * (50e-6 + bytes / ranks * 1e-9));
  }
}

/// Two devices and the CPU of one host, whose cores send 1 GB/s each, by a strategy with servers.
double on_one_host(const std::string& strategy, const std::string& layer) {
  return simulate(
             scenario_of(
                 "cluster: {network: star, hosts: 1, host: {type: simple, cores: 4}, link: "
                 "{bandwidth: 1 GB/s, latency: 0 s}}\nlibrary: {base: ideal, shm: {send_cost: 1 "
                 "ns/B}}\nplacement: 3\njob: {collective: training, algorithm: " +
                 strategy +
                 ", options: {overlap: none, bucket: 1 GB, model: {records: 1000, record: 1 MB, "
                 "batch: 10, step: 30 ms, layers: [{name: a, parameters: " +
                 layer + "}]}}}\n"),
             {})
      .time_s;
}

// Both push at once, each by its core; the CPU answers one after the other.
TEST_F(ExchangeTime, central_storage_goes_through_the_cpu) {
  expect_seconds(on_one_host("central_storage", "1000000, flops: 1"), compute + 3 * 4e6 / rate);
}

// Before that, the CPU sends 10 MB to each; each sends 10 x 500 outputs, and gets as many back.
// 1000 x 500 weights, used once each for a record: 1e6 operations.
TEST_F(ExchangeTime, multi_gpu_model_splits_the_batch_and_merges_outputs) {
  const double outputs = 10 * 500 * 4;
  expect_seconds(on_one_host("multi_gpu_model", "[500000, 500], flops: 1e6"),
                 compute + (2 * 10e6 + 3 * outputs + 3 * 500500 * 4) / rate);
}

TEST_F(ExchangeTime, staging_copies_before_push_and_after_pull) {
  const double bytes = parameters * 4;
  expect_seconds(run(training("parameter_server", "staging: 0.1 ns/B")).time_s,
                 compute + 2 * bytes / rate + 2 * bytes * 1e-10);
}

// Two devices, two servers, one bucket: whole, all of it passes the link of the first server.
TEST_F(ExchangeTime, small_bucket_is_on_one_server) {
  const double bytes = parameters * 4;
  const auto time = [](const std::string& whole_below) {
    return simulate(training("parameter_server",
                             "servers: 2, bucket: 1 GB, whole_below: " + whole_below, 4),
                    {})
        .time_s;
  };
  expect_seconds(time("8 MB"), compute + 2 * bytes / rate);
  expect_seconds(time("9 MB"), compute + 4 * bytes / rate);
}

// W devices push at once; their pushes are taken one after the other, and each answer goes while
// the next one is serialised.
TEST_F(ExchangeTime, server_takes_pushes_and_answers_one_after_the_other) {
  const double bytes = parameters * 4, call = 0.25e-9, stage = 0.16e-9;
  for (const int devices : {1, 2, 4})
    expect_seconds(
        run_again(training("parameter_server",
                           "bucket: 1 GB, staging: 0.16 ns/B, serialisation: {cost: 0.25 "
                           "ns/B}",
                           devices + 1))
            .time_s,
        compute + 2 * devices * bytes / rate +
            (devices * call + call + 2 * (call + stage)) * bytes);
}

TEST_F(ExchangeTime, kind_of_servers_gives_options_below_those_of_the_job) {
  const std::string written =
      "bucket: 0 B, whole_below: 4 MB, staging: 0.16 ns/B, serialisation: {tensor: 7 us, cost: ";
  const auto time = [](const std::string& options) {
    return simulate(training("parameter_server", options), {}).time_s;
  };
  EXPECT_EQ(time("servers_by: ps_lite"), time(written + "0.2 ns/B}"));
  EXPECT_EQ(time("servers_by: ps_lite, serialisation: {cost: 1 ns/B}"), time(written + "1 ns/B}"));
}

/// Algorithm that sums the gradients of four V100.
std::string exchange_on(const std::string& library, const std::string& placement,
                        const std::string& algorithm, const std::string& options = "") {
  const Scenario scenario =
      scenario_of("cluster: v100x4_pcie\nlibrary: " + library + "\nplacement: " + placement +
                  "\njob: {collective: training, algorithm: " + algorithm +
                  ", options: {model: lenet" + options + "}}\n");
  return std::string(scenario.job.training->exchange->name);
}

// As frameworks on GPUs do. Other libraries specify no costs of NCCL.
TEST_F(ExchangeTime, is_by_nccl_where_the_library_has_its_blocks) {
  const std::string gpus = "{hosts: 4, on: gpu}", library = "nccl_v100_pcie";
  for (const std::string strategy : {"ddp", "horovod", "mirrored", "multi_worker_mirrored"}) {
    EXPECT_EQ(exchange_on(library, gpus, strategy), "nccl");
    EXPECT_EQ(exchange_on(library, gpus, strategy, ", exchange: ring"), "ring");
    EXPECT_EQ(exchange_on("cuda_pinned", gpus, strategy), "ring");
    EXPECT_EQ(exchange_on(library, "4", strategy), "ring");
  }
  const std::string calls = ", serialisation: {tensor: 1 us}", mirrored = "multi_worker_mirrored";
  EXPECT_EQ(exchange_on(library, gpus, mirrored, calls + ", exchange: ring"), "ring");
  EXPECT_THROW(exchange_on(library, gpus, mirrored, calls), InputError);
}

// A binomial tree of a vector: log2 P times all of it, before the steps and in none of them.
TEST_F(ExchangeTime, begins_with_a_broadcast_that_no_step_counts) {
  for (const std::string strategy : {"ddp", "horovod", "multi_worker_mirrored"})
    for (const int ranks : {2, 8}) {
      const auto at = [&](const std::string& startup) {
        return run_again(training(strategy, "steps: 3" + startup, ranks,
                                  "{base: ideal, network: "
                                  "{eager_limit: 0 B}}"));
      };
      const Report plain = at(""), started = at(", startup: {broadcast: binomial}");
      const double broadcast = std::log2(ranks) * parameters * 4 / rate;
      ASSERT_TRUE(started.training->startup_s.has_value());
      EXPECT_FALSE(plain.training->startup_s.has_value());
      EXPECT_NEAR(*started.training->startup_s, broadcast, 1e-6 * broadcast);
      EXPECT_NEAR(started.time_s - plain.time_s, *started.training->startup_s, 1e-6 * broadcast);
      EXPECT_NEAR(started.training->step_s, plain.training->step_s, 1e-6 * broadcast);
      EXPECT_NEAR(started.training->busy_s, compute, 1e-9);
    }
}

}  // namespace
}  // namespace ringscope::training_exchange_test
