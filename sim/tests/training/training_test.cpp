// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a step of training take what a pencil says: compute, and of the exchange what nothing hides?
#include <algorithm>
#include <map>
#include <string>

#include "scenarios/answer/text/report_text.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::training_test {
namespace {

class TrainingTime : public SimulationTest {};

// Two layers alike: 5 ms forward, 10 ms backward and 4 MB of gradients each.
constexpr double forward = 0.005, backward = 0.010, compute = 2 * (forward + backward);
constexpr double layer_bytes = 4e6;
const std::string model =
    "{records: 1000, record: 1 kB, batch: 10, step: 30 ms, layers: ["
    "{name: a, parameters: 1000000, flops: 1}, {name: b, parameters: 1000000, flops: 1}]}";

/// Training on two hosts without latency, with a library that costs nothing but the wire.
Scenario training(const std::string& strategy, const std::string& options,
                  const std::string& placement = "1-1", const std::string& link = "1 GB/s",
                  const std::string& library = "ideal") {
  return scenario_of(
      "cluster: {network: star, hosts: 2, host: {type: simple, cores: 4}, link: {bandwidth: " +
      link + ", latency: 0 s}}\nlibrary: " + library + "\nplacement: " + placement +
      "\nstorage: {bandwidth: 1 GB/s}\njob: {collective: training, algorithm: " + strategy +
      ", options: {model: " + model + ", " + options + "}}\n");
}

/// The parts of a step that are not 0, by name; they add up to it.
using StepParts = std::map<std::string, double>;

StepParts parts_of(const Report& report) {
  const TrainingReport& t = *report.training;
  StepParts parts = {{"busy", t.busy_s},     {"tp", t.exposed.tp}, {"cp", t.exposed.cp},
                     {"ep", t.exposed.ep},   {"pp", t.exposed.pp}, {"dp", t.exposed.dp},
                     {"bubble", t.bubble_s}, {"input", t.input_s}, {"other", t.other_s}};
  double sum = 0;
  for (const auto& [name, seconds] : parts) sum += seconds;
  EXPECT_NEAR(sum, t.step_s, 1e-9 * t.step_s);
  EXPECT_NEAR(t.exposed_s, t.exposed.tp + t.exposed.cp + t.exposed.ep + t.exposed.pp + t.exposed.dp,
              1e-12);
  std::erase_if(parts, [](const auto& part) { return part.second == 0; });
  return parts;
}

void expect_parts(const Report& report, const StepParts& expected) {
  const StepParts parts = parts_of(report);
  for (const auto& [name, seconds] : expected)
    EXPECT_NEAR(parts.contains(name) ? parts.at(name) : 0, seconds, 1e-9) << name;
  EXPECT_EQ(parts.size(), expected.size());
}

/// A ring of two: each half crosses the wire twice.
double allreduce(double bytes, double bandwidth) { return bytes / bandwidth; }

/// The first bucket is there when the last layer has passed; the second one waits for the wire too.
double overlapped(double bandwidth) {
  const double one = allreduce(layer_bytes, bandwidth);
  const double last_layer = 2 * forward + backward;
  return std::max(last_layer + one, compute) + one;
}

TEST_F(TrainingTime, without_overlap_is_compute_and_then_the_exchange) {
  const Report report = run(training("ddp", "overlap: none, bucket: 0 B, steps: 3"));
  const double step = compute + allreduce(2 * layer_bytes, 1e9);
  expect_seconds(report.time_s, 3 * step);
  ASSERT_TRUE(report.training.has_value());
  expect_seconds(report.training->step_s, step);
  expect_seconds(report.training->one_device_s, compute);
  expect_seconds(report.training->forward_backward_s, compute);
  expect_parts(report, {{"busy", compute}, {"dp", step - compute}});
  EXPECT_NEAR(report.training->efficiency, compute / step, 1e-9);
  EXPECT_NEAR(report.training->records_per_s, 2 * 10 / step, 1e-6);
  EXPECT_NEAR(report.training->epochs, 3 * 2 * 10 / 1000.0, 1e-12);
}

TEST_F(TrainingTime, devices_that_vary_compute_as_long_as_the_slowest) {
  const Report report = run(training("ddp", "overlap: none, bucket: 0 B, variation: 0.1"));
  const double slowest = slowest_of(2, 0.1) * compute;
  expect_seconds(report.time_s, slowest + allreduce(2 * layer_bytes, 1e9));
  expect_seconds(report.training->one_device_s, compute);
}

TEST_F(TrainingTime, hooks_and_copies_come_before_and_after_the_exchange_of_each_bucket) {
  const Report report =
      run(training("ddp", "overlap: none, bucket: 0 B, copy: 0.5 ns/B, hook: 1 ms"));
  const double bucket = 0.001 + 2 * 0.5e-9 * layer_bytes + allreduce(layer_bytes, 1e9);
  expect_seconds(report.time_s, compute + 2 * bucket);
}

// 1000 records at 20 a step.
TEST_F(TrainingTime, epochs_take_the_time_of_their_steps) {
  const double step = compute + allreduce(2 * layer_bytes, 1e9);
  const std::string options = "overlap: none, bucket: 0 B";
  const Report plain = run(training("ddp", options));
  expect_seconds(plain.training->epoch_s, 50 * step);
  EXPECT_FALSE(plain.training->training_s.has_value());
  const Report all = run_again(training("ddp", options + ", epochs: 90"));
  EXPECT_EQ(all.training->all_epochs, 90);
  expect_seconds(all.training->training_s.value_or(0), 90 * 50 * step);
  const Report started =
      run_again(training("ddp", options + ", epochs: 90, startup: {broadcast: binomial}"));
  expect_seconds(started.training->training_s.value_or(0),
                 *started.training->startup_s + 90 * 50 * started.training->step_s);
}

TEST_F(TrainingTime, a_thread_hides_all_but_the_first_layer_behind_a_fast_wire) {
  const Report report = run(training("ddp", "overlap: thread, bucket: 0 B"));
  expect_seconds(report.time_s, overlapped(1e9));
}

TEST_F(TrainingTime, a_thread_hides_one_layer_behind_a_slow_wire) {
  const Report report = run(training("ddp", "overlap: thread, bucket: 0 B", "1-1", "0.25 GB/s"));
  expect_seconds(report.time_s, overlapped(0.25e9));
  expect_parts(report, {{"busy", compute}, {"dp", overlapped(0.25e9) - compute}});
}

TEST_F(TrainingTime, a_non_blocking_exchange_on_the_nic_hides_as_much_as_a_thread) {
  const Report report = run(training("ddp", "overlap: nonblocking, bucket: 0 B"));
  expect_seconds(report.time_s, overlapped(1e9));
}

TEST_F(TrainingTime, a_non_blocking_exchange_by_the_caller_hides_nothing) {
  const Report report = run(training("ddp", "overlap: nonblocking, bucket: 0 B", "1-1", "1 GB/s",
                                     "{base: ideal, progress: caller}"));
  expect_seconds(report.time_s, compute + allreduce(2 * layer_bytes, 1e9));
}

TEST_F(TrainingTime, one_pack_of_all_gradients_cannot_be_hidden) {
  const Report report = run(training("multi_worker_mirrored", "overlap: thread"));
  expect_seconds(report.time_s, compute + allreduce(2 * layer_bytes, 1e9));
}

TEST_F(TrainingTime, horovod_waits_for_its_clock) {
  // It wakes every 7 ms: at 21 ms the last layer is there, at 35 ms the first one.
  const Report report = run(training("horovod", "cycle: 7 ms"));
  const double words = 2 * 1e-9;  // a negotiation: one byte there for each gradient, and back
  EXPECT_NEAR(report.training->step_s, 0.035 + allreduce(layer_bytes, 1e9), 20 * words);
}

TEST_F(TrainingTime, horovod_waits_for_all_gradients_of_a_buffer_that_were_negotiated_early) {
  const double words = 2 * 1e-9;
  for (const auto& [fusion, hidden] : {std::pair{"64 MiB", 0}, std::pair{"4 MB", 1}}) {
    const Report report = run_again(
        training("horovod", std::string("cycle: 7 ms, negotiation: launched, fusion: ") + fusion));
    const double exposed = allreduce((2 - hidden) * layer_bytes, 1e9);
    EXPECT_NEAR(report.training->step_s, compute + exposed, 20 * words) << fusion;
  }
}

/// Seconds of the critical path that this cause has, on any rank or on one.
double on_path(const Report& report, Cause cause, int rank = -1) {
  double sum = 0;
  for (const PathSegment& one : report.path)
    if (one.cause == cause && (rank < 0 || one.rank == rank)) sum += one.seconds;
  return sum;
}

// It waits for its clock from 30 to 35 ms, and once more when all has been exchanged.
TEST_F(TrainingTime, horovod_blames_the_computation_not_the_cycles_in_which_nothing_was_ready) {
  const Report report = simulate(training("horovod", "cycle: 7 ms"), {});
  expect_seconds(report.time_s, 6 * 0.007);
  EXPECT_NEAR(on_path(report, Cause::compute), compute, 1e-6);
  EXPECT_NEAR(on_path(report, Cause::wire), allreduce(layer_bytes, 1e9), 1e-6);
  EXPECT_NEAR(on_path(report, Cause::sleep), 0.042 - compute - 0.004, 1e-6);
}

// Rank 1 has its last layer at 40 ms, the first one at 60 ms; the last cycle begins at 63 ms.
TEST_F(TrainingTime, horovod_names_the_straggler) {
  const Report report = simulate(
      training("horovod", "cycle: 7 ms}, noise: {stragglers: {ranks: [1], slowdown: 2}"), {});
  expect_seconds(report.time_s, 10 * 0.007);
  const double computed = on_path(report, Cause::compute, 1) + on_path(report, Cause::noise, 1);
  EXPECT_NEAR(computed, 2 * compute, 1e-6);
  EXPECT_EQ(on_path(report, Cause::compute, 0), 0);
  EXPECT_NEAR(on_path(report, Cause::sleep), 0.070 - 2 * compute - 0.004, 1e-6);
}

// Gradients of the second step are there at 159 and 169 ms, and exchanged at 161 and 175 ms.
TEST_F(TrainingTime, horovod_blames_the_checkpoint_that_all_wait_for) {
  const Report report = simulate(
      training("horovod", "cycle: 7 ms, steps: 2, checkpoint: {every: 1, bytes: 100 MB}"), {});
  EXPECT_NEAR(report.time_s, 0.279, 1e-6);
  EXPECT_NEAR(on_path(report, Cause::storage, 0), 2 * 0.1, 1e-6);
  EXPECT_NEAR(on_path(report, Cause::compute), 2 * compute, 1e-6);
  EXPECT_NEAR(on_path(report, Cause::sleep), 0.005 + 0.006, 1e-6);
}

// Batches of both ranks take 200 ms: three of them, and the last step.
TEST_F(TrainingTime, the_input_of_a_host_has_a_name_on_the_path) {
  for (const char* strategy : {"ddp", "horovod"}) {
    const Report report =
        simulate(training(strategy, "steps: 3, input: {rate: 100, prefetch: 1}", "2"), {});
    EXPECT_NEAR(on_path(report, Cause::input), 3 * 0.2, 1e-6) << strategy;
    EXPECT_LT(on_path(report, Cause::sleep), 0.010) << strategy;
    EXPECT_EQ(segment_text(report.path.front()), "the input of host0 (100 samples/s)");
  }
}

// Twice the rate takes half the time: what `what-if` asks.
TEST_F(TrainingTime, the_input_of_a_host_may_be_twice_as_fast) {
  Scenario scenario = training("ddp", "steps: 3, input: {rate: 100, prefetch: 1}", "2");
  const double before = simulate(scenario, {}).time_s;
  scenario.speedup.resource = {"host0/input (100 samples/s)"};
  scenario.speedup.capacity = 2;
  EXPECT_NEAR(before - simulate(scenario, {}).time_s, 3 * 0.1, 1e-6);
}

TEST_F(TrainingTime, a_server_takes_the_gradients_of_all_devices_and_answers_each) {
  // Two devices on one host push 8 MB each through one NIC, and the weights come back so.
  const Report report = run(training("parameter_server", "overlap: none", "2-1"));
  expect_seconds(report.time_s, compute + 2 * 2 * 2 * layer_bytes / 1e9);
  EXPECT_EQ(report.training->devices, 2);
  expect_parts(report, {{"busy", compute}, {"dp", 2 * 2 * 2 * layer_bytes / 1e9}});
}

TEST_F(TrainingTime, the_input_of_a_host_bounds_all_its_devices) {
  const Report report = run(training("ddp", "steps: 5, input: {rate: 100, prefetch: 1}", "2"));
  const double batch = 10 * 2 / 100.0;
  const double input = batch + 10 * 1000 * 2 / 1e9;  // of which four hide a step's computation
  expect_seconds(report.time_s - compute, 5 * input);
  expect_parts(report, {{"busy", compute}, {"input", input + compute / 5 - compute}});
}

TEST_F(TrainingTime, a_checkpoint_costs_what_storage_takes) {
  const Report report =
      run(training("ddp", "steps: 4, overlap: none, checkpoint: {every: 2, bytes: 16 MB}"));
  const double step = compute + allreduce(2 * layer_bytes, 1e9);
  expect_seconds(report.time_s, 4 * step + 2 * 16e6 / 1e9);
  // Rank 0 writes, and rank 1 waits: for its gradients, or for the end.
  const StepParts parts = parts_of(report);
  expect_seconds(parts.at("busy"), compute);
  expect_seconds(parts.at("other"), (16e6 / 1e9 * 2 + 16e6 / 1e9) / 2 / 4);
}

TEST_F(TrainingTime, the_update_goes_over_all_gradients) {
  const Report report = run(training("ddp", "overlap: none, update: 1 ns/B"));
  const double update = 2 * layer_bytes * 1e-9;
  expect_seconds(report.time_s, compute + allreduce(2 * layer_bytes, 1e9) + update);
  expect_seconds(report.training->one_device_s, compute + update);
  expect_parts(report, {{"busy", compute + update}, {"dp", allreduce(2 * layer_bytes, 1e9)}});
}

}  // namespace
}  // namespace ringscope::training_test
