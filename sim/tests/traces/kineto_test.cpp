// SPDX-License-Identifier: LGPL-2.1-or-later
// Do traces of PyTorch's profiler take the time that their kernels and collectives take?
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "scenarios/trace/kineto/events.hpp"
#include "scenarios/trace/trace_file.hpp"
#include "sim/tests/scenario_for_test.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::kineto_test {
namespace {

std::string event(const std::string& category, const std::string& name, double start, double takes,
                  int thread, int correlation, const std::string& more = "") {
  return fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "{}", "ts": {}, "dur": {}, "tid": {}, "args": )"
      R"({{"correlation": {}, "stream": {}{}}}}})",
      category, name, start, takes, thread, correlation, thread, more);
}
/// A call of the host that launches something, for 10 us, and the kernel.
std::string launch(double at, int number) {
  return event("cuda_runtime", "cudaLaunchKernel", at, 10, 100, number);
}
std::string kernel(double start, double takes, int stream, int number) {
  return event("kernel", "gemm", start, takes, stream, number);
}
std::string collective(double start, double takes, int stream, int number,
                       const std::string& name = "allreduce") {
  return event("kernel", "ncclDevKernel_AllReduce", start, takes, stream, number,
               R"(, "Collective name": ")" + name +
                   R"(", "dtype": "Float", "In msg nelems": 1000000, "Out msg nelems": 1000000,)"
                   R"( "Process Group Name": "0", "Process Group Ranks": "[0, 1]")");
}

class TracesOfPyTorch : public SimulationTest {
 protected:
  TracesOfPyTorch() { std::filesystem::create_directories(folder_); }
  ~TracesOfPyTorch() override { std::filesystem::remove_all(folder_); }
  void write(int rank, const std::vector<std::string>& events) const {
    std::ofstream(fmt::format("{}t.{}.json", folder_, rank))
        << R"({"distributedInfo": {"world_size": 2}, "traceEvents": [)"
        << fmt::format("{}", fmt::join(events, ",\n")) << "]}";
  }
  std::string files() const { return folder_ + "t"; }

 private:
  std::string folder_ = testing::TempDir() + "pytorch_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + "/";
};

/// Two hosts; nothing but bytes and computations takes time. A sum of 4 MB takes 4 ms.
Scenario on_hosts(const std::string& trace, const std::string& bandwidth = "1 GB/s",
                  const std::string& placement = "1-1") {
  return scenario_of(R"(
cluster:
  network: star
  hosts: 2
  link: {bandwidth: )" +
                     bandwidth + R"(, latency: 0 s}
  host: {type: simple, cores: 64}
library: {base: ideal, network: {latency: 0 s, eager_limit: 0 B, driver: nic}, progress: nic}
placement: )" + placement +
                     R"(
job: {trace: )" + trace +
                     "}\n");
}

// A collective after the kernel that was launched before it, beside the one behind it, and before
// the one that its stream's wait is in front of; times are those since the first launch.
TEST_F(TracesOfPyTorch, wait_for_collectives_where_their_streams_do) {
  const std::vector<std::string> events = {
      launch(0, 1),
      kernel(10, 1000, 7, 1),
      launch(20, 2),
      collective(1010, 700, 20, 2),
      launch(40, 3),
      kernel(1010, 500, 7, 3),
      event("cuda_runtime", "cudaStreamWaitEvent", 60, 2, 100, 90),
      launch(70, 4),
      kernel(1710, 200, 7, 4)};
  for (const int rank : {0, 1}) write(rank, events);
  expect_seconds(run(on_hosts(files())).time_s, 1000e-6 + 4e-3 + 200e-6);
}

// The wait that belongs to the collective's own function holds nobody up.
TEST_F(TracesOfPyTorch, run_collectives_beside_kernels_that_do_not_wait) {
  const std::vector<std::string> events = {
      event("cpu_op", "c10d::allreduce_", 0, 30, 100, -1),
      launch(0, 1),
      event("cuda_runtime", "cudaStreamWaitEvent", 12, 2, 100, 90),
      collective(10, 700, 20, 1),
      launch(40, 2),
      kernel(50, 6000, 7, 2)};
  for (const int rank : {0, 1}) write(rank, events);
  expect_seconds(run(on_hosts(files())).time_s, 40e-6 + 6000e-6);
}

// The host goes on 10 us after the work that it waits for, and launches the next 15 us later.
TEST_F(TracesOfPyTorch, let_the_host_wait_for_work_of_the_gpu) {
  for (const char* call : {"cudaDeviceSynchronize", "cudaStreamSynchronize"}) {
    const std::vector<std::string> events = {launch(0, 1), collective(10, 680, 20, 1),
                                             event("cuda_runtime", call, 20, 680, 100, 90),
                                             launch(705, 2), kernel(715, 100, 7, 2)};
    for (const int rank : {0, 1}) write(rank, events);
    expect_seconds(simulate(on_hosts(files()), {}).time_s, 4e-3 + 10e-6 + 15e-6 + 100e-6);
  }
}

// A copy that blocks is over when its call is; one that does not lets the host go on.
TEST_F(TracesOfPyTorch, block_the_host_by_copies_that_did) {
  const std::vector<std::string> events = {event("cuda_runtime", "cudaMemcpyAsync", 0, 200, 100, 1),
                                           event("gpu_memcpy", "Memcpy DtoH", 20, 175, 7, 1),
                                           launch(200, 2), kernel(210, 100, 8, 2)};
  for (const int rank : {0, 1}) write(rank, events);
  expect_seconds(run(on_hosts(files())).time_s, (175 + 5 + 10 + 100) * 1e-6);
}

TEST_F(TracesOfPyTorch, take_the_time_of_collectives_that_do_not_say_what_they_are) {
  const std::vector<std::string> events = {launch(0, 1),
                                           event("kernel", "ncclKernel_AllReduce", 10, 700, 20, 1),
                                           launch(20, 2), collective(710, 300, 20, 2, "a_new_one")};
  for (const int rank : {0, 1}) write(rank, events);
  const Report report = run(on_hosts(files()));
  expect_seconds(report.time_s, 1000e-6);
  int ignored = 0;
  for (const NodeCount& one : report.trace_nodes)
    if (one.ignored) ignored += static_cast<int>(one.count);
  EXPECT_EQ(ignored, 4);
}

TEST_F(TracesOfPyTorch, exchange_messages) {
  const auto message = [](const std::string& name, const std::string& peer) {
    return event("kernel", "ncclDevKernel_SendRecv", 10, 700, 20, 1,
                 R"(, "Collective name": ")" + name +
                     R"(", "dtype": "Half", "In msg nelems": 500000,)" +
                     R"( "Out msg nelems": 500000, )" + peer);
  };
  write(0, {launch(0, 1), message("send", R"("Dst Rank": 1)")});
  write(1, {launch(0, 1), message("recv", R"("Src Rank": 0)")});
  expect_seconds(run(on_hosts(files())).time_s, 1e6 / 1e9);
}

// Three steps of a DistributedDataParallel, in which the host is the bottleneck. In the trace
// 666.563 ms pass from its first call that launches work to the end of its last one that waits for
// it: as many on a network that is as fast as that of its two A100 was.
TEST_F(TracesOfPyTorch, replay_a_real_one_in_its_own_time_with_every_event_accounted_for) {
  const Report report = simulate(on_hosts("{files: ddp, every_rank_as: 0}", "300 GB/s"), {});
  EXPECT_NEAR(report.time_s, 666.563e-3, 1e-3 * report.time_s);
  std::size_t events = 0;
  for (const NodeCount& one : report.trace_nodes) {
    events += one.count;
    EXPECT_FALSE(one.ignored) << one.kind << ": " << one.as;
  }
  EXPECT_EQ(events, 40573u);
}

// Its groups are of ranks 0 and 1.
TEST_F(TracesOfPyTorch, single_trace_is_rejected_for_more_ranks_than_its_groups) {
  EXPECT_THAT(complaint_of([] { on_hosts("{files: ddp, every_rank_as: 0}", "1 GB/s", "2-1"); }),
              testing::HasSubstr("rank 2 is not in its group of ranks 0, 1: with 'every_rank_as' "
                                 "a job has the ranks of the trace's groups"));
}

// A profile of the CPU alone has calls that launch, and nothing that they launched.
TEST_F(TracesOfPyTorch, without_the_work_of_a_gpu_are_refused) {
  write(0, {event("cpu_op", "aten::mm", 0, 30, 100, -1), launch(0, 1)});
  write(1, {launch(0, 1)});
  EXPECT_THAT(complaint_of([this] { on_hosts(files()); }),
              testing::HasSubstr("got 2 events, categories: cpu_op, cuda_runtime"));
}

// Nothing is cast that the type of the result does not hold.
TEST(EventsOfPyTorch, oversized_event_numbers_read_as_zero) {
  for (const char* number : {"1e300", "-1e300", "9223372036854775808.0"}) {
    const std::string text =
        fmt::format(R"({{"traceEvents": [{{"ph": "X", "ts": 1, "dur": 1, "tid": {}}}]}})", number);
    EXPECT_EQ(kineto::read_events("t", text).events.at(0).thread, 0) << number;
  }
}

struct Wrong {
  std::string text, says;
};

/// An allreduce that a kernel of NCCL's tells of.
std::string sum_of(const std::string& items, const std::string& ranks) {
  return R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "ts": 9,)"
         R"( "dur": 9, "args": {"stream": 20, "Collective name": "allreduce", "dtype": "Float",)"
         R"( "In msg nelems": )" +
         items + R"(, "Process Group Ranks": ")" + ranks + R"("}}]})";
}

TEST_F(TracesOfPyTorch, invalid_traces_are_rejected_with_a_hint) {
  const std::vector<Wrong> all = {
      {sum_of("4", "[0, 1, 0]"), "event 0 'ncclDevKernel': duplicate rank 0 in its group"},
      {sum_of("140737488355329", "[0, 1]"),
       "event 0 'ncclDevKernel': 140737488355329 items of 4 B are more than 562949953421312 B"},
      {sum_of("9223372036854775807", "[0, 1]"),
       "event 0 'ncclDevKernel': 9223372036854775807 items of 4 B are more than 562949953421312 B"},
      {"", "byte 1: the file is cut off here, or no JSON"},
      {R"({"traceEvents": [{"ph": "X")", "byte 28: the file is cut off here, or no JSON"},
      {R"({"traceEvents": [{"ph": "X", "name": "MatMul", "ts": 1, "dur": 2, "tid": 3}]})",
       "expected a trace of PyTorch's profiler with the work of a GPU: events of the category "
       "kernel, gpu_memcpy or gpu_memset, and the calls that launch it (cuda_runtime); got 1 "
       "events, categories: none. Record with "
       "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"},
      {R"({"trace": []})",
       "expected a trace of PyTorch's profiler: JSON with the list 'traceEvents'"},
      {R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": "now"}]})",
       "event 0 'gemm': 'ts' is no number"},
      {R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1e400}]})",
       "a number in it is too large: no double holds it"},
      {R"({"traceEvents": [)" + launch(0, 1) +
           R"(, {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "ts": 9, "dur": 9,)"
           R"( "args": {"correlation": 1, "stream": 20, "Collective name": "allreduce",)"
           R"( "dtype": "Float", "In msg nelems": 4, "Process Group Ranks": "[0, 7]"}}]})",
       "event 1 'ncclDevKernel_AllReduce': rank 7 is in its group, and the job has ranks 0 to 1"}};
  for (const Wrong& wrong : all) {
    std::ofstream(files() + ".0.json") << wrong.text;
    std::ofstream(files() + ".1.json") << wrong.text;
    try {
      (void)on_hosts(files());
      FAIL() << wrong.says;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), files() + ".0.json: " + wrong.says);
    }
  }
}

}  // namespace
}  // namespace ringscope::kineto_test
