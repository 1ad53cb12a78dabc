// SPDX-License-Identifier: LGPL-2.1-or-later
// Are runs that go wrong on GPUs cut off, and do they say where?
#include <gmock/gmock.h>

#include "validation/executors/cuda/executor/gpu_cases_for_test.hpp"

namespace ringscope::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;
using testing::ThrowsMessage;

const Algorithm& ring() { return *find_algorithm("allreduce", "ring"); }

/// A staged ring of three ranks on two GPUs, with something done to them as the program begins.
template <typename Begun>
GpuRun disturbed(FakeGpus& gpus, ProgressBy progress, double deadline, Begun begun) {
  ExecutorOptions how = staged(64, 2);
  how.progress = progress;
  return run_on(gpus, how, ring(), 3, 90, {}, deadline, begun);
}

TEST(ExecutorFailures, whichever_call_fails_is_named_with_rank_phase_and_step) {
  bool ended = false;
  int failed = 0;
  for (std::uint64_t number = 1; !ended; ++number) {
    FakeGpus gpus({.gpus = 2, .peers = {}});
    bool inside = false;
    try {
      disturbed(gpus, ProgressBy::polling, no_deadline, [&] {
        gpus.fail_call(number);
        inside = true;
      });
      ended = true;
    } catch (const GpuError& error) {
      ++failed;
      EXPECT_THAT(error.what(),
                  MatchesRegex("[a-z_]+: told to fail; rank [0-2] was in "
                               "((reduce-scatter|allgather), step [01], .*|the end of a "
                               "repetition)"));
      EXPECT_FALSE(error.call().empty());
    }
    ASSERT_TRUE(inside);
  }
  EXPECT_GT(failed, 100);
}

TEST(ExecutorFailures, a_hang_is_cut_off_and_described) {
  for (const ProgressBy progress : {ProgressBy::polling, ProgressBy::callbacks}) {
    FakeGpus gpus({.gpus = 2, .peers = {}});
    EXPECT_THAT([&] { disturbed(gpus, progress, 2.0, [&] { gpus.hang_operation(10); }); },
                ThrowsMessage<Stuck>(AllOf(
                    MatchesRegex(
                        "timeout 2(\\.[0-9]+)? s after the start of a repetition: rank 0 is in .*"),
                    HasSubstr("rank 1 is in reduce-scatter, step 0, "), HasSubstr("(under way)"))));
  }
}

TEST(ExecutorFailures, what_fails_while_no_stream_calls_is_found_by_asking) {
  // After the hang the executor makes no other calls than to ask.
  FakeGpus gpus({.gpus = 2, .peers = {}});
  EXPECT_THAT(
      [&] {
        disturbed(gpus, ProgressBy::callbacks, no_deadline, [&] {
          gpus.hang_operation(10);
          gpus.fail_call(100);
        });
      },
      ThrowsMessage<GpuError>(MatchesRegex("reached: told to fail; rank [0-2] was in reduce-.*")));
}

TEST(ExecutorFailures, ranks_that_wait_for_each_other_are_found_at_once) {
  FakeGpus gpus({});
  EXPECT_THAT(
      [&] { run_on(gpus, {}, *find_algorithm("exchange", "head_to_head"), 2, 8); },
      ThrowsMessage<Stuck>(
          AllOf(StartsWith("deadlock at 0 us: rank 0 is in "),
                HasSubstr("send with rank 1, waiting for rank 1 to receive 8 items (no match yet)"),
                HasSubstr("; rank 1 is in "))));
}

Task throw_own(Communicator comm, Workspace, Options) {
  if (comm.rank() == 1) throw std::domain_error("mine");
  co_await comm.compute(Duration(1));
}

TEST(ExecutorFailures, algorithm_exception_is_propagated_unchanged) {
  Algorithm text = ring();
  text.run = throw_own;
  FakeGpus gpus({});
  EXPECT_THAT([&] { run_on(gpus, {}, text, 2, 8); }, ThrowsMessage<std::domain_error>("mine"));
}

Task start_nothing(Communicator) { co_return; }

Task start_nonblocking(Communicator comm, Workspace, Options) {
  const Thread started =
      comm.start(start_nothing(comm.beside(Beside::nonblocking)), Beside::nonblocking);
  co_await comm.join(started);
}

TEST(ExecutorFailures, a_non_blocking_collective_is_refused) {
  Algorithm text = ring();
  text.run = start_nonblocking;
  FakeGpus gpus({});
  EXPECT_THAT([&] { run_on(gpus, {}, text, 2, 8); },
              ThrowsMessage<std::logic_error>(HasSubstr("is not replayed on GPUs")));
}

TEST(ExecutorFailures, a_verb_that_it_does_not_perform_is_refused_by_name) {
  FakeGpus gpus({});
  CudaExecutor executor(gpus, {0}, {});
  Operation posted{.verb = Verb::isend};  // always posted, never performed
  EXPECT_THAT([&] { executor.rank(0).thread(executor, 0).perform(posted, nullptr); },
              ThrowsMessage<std::logic_error>("the replay on GPUs does not perform isend"));
}

Task sleep_and_compute(Communicator comm, Workspace, Options) {
  co_await comm.sleep(Duration(0.003));
  co_await comm.compute(Duration(0.002));
}

TEST(ExecutorFailures, sleeping_and_computing_take_their_time) {
  Algorithm text = ring();
  text.run = sleep_and_compute;
  FakeGpus gpus({});
  EXPECT_NEAR(run_on(gpus, {}, text, 2, 8).seconds, 0.005, 0.0015);
}

}  // namespace
}  // namespace ringscope::cuda
