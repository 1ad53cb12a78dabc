// SPDX-License-Identifier: LGPL-2.1-or-later
// Do reports and failures come back from the children as they were, and in order?
#include "cli/cases/cases.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>

#include "cli/terminal/frame.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/report_samples_for_test.hpp"

namespace ringscope {
namespace {

std::vector<Scenario> named(std::initializer_list<const char*> names) {
  std::vector<Scenario> scenarios(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) scenarios[i].name = names.begin()[i];
  return scenarios;
}

/// Code and words of the failure that `run` throws.
std::pair<ExitCode, std::string> failure_of(const std::vector<Scenario>& scenarios,
                                            const Simulate& one, Seconds limit = no_limit) {
  try {
    run_cases(scenarios, {}, one, limit);
  } catch (const Failure& failure) {
    return {failure.code(), failure.what()};
  }
  return {ExitCode::ok, ""};
}

TEST(CaseRunner, a_report_comes_back_with_every_digit_and_every_span) {
  const auto reports = run_cases(named({"a"}), {}, [](const Case&, const RunOptions&) {
    Report report = report_with_spans();
    report.time_s = 1.0 / 3;
    return report;
  });
  ASSERT_EQ(reports.size(), 1U);
  Report expected = report_with_spans();
  expected.time_s = 1.0 / 3;
  EXPECT_EQ(to_json(reports[0]), to_json(expected));
  EXPECT_EQ(spans_to_json(reports[0].spans), spans_to_json(expected.spans));
}

TEST(CaseRunner, reports_stand_in_the_order_of_the_cases_not_of_their_ends) {
  const auto sleeps = [](const Case& one, const RunOptions&) {
    if (one.scenario->name == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Report report = sample_report();
    report.name = one.scenario->name;
    return report;
  };
  const auto reports = run_cases(named({"slow", "b", "c", "d", "e"}), {}, sleeps);
  std::string names;
  for (const Report& report : reports) names += report.name + " ";
  EXPECT_EQ(names, "slow b c d e ");
}

TEST(CaseRunner, no_case_is_no_report) { EXPECT_TRUE(run_cases({}, {}).empty()); }

/// Processes that did so many cases.
std::size_t processes_of(std::size_t cases, const Simulate& one, std::string_view kernel) {
  RunOptions options;
  options.kernel = kernel;
  std::set<std::string> processes;
  for (const Report& report : run_cases(std::vector<Scenario>(cases), options, one))
    processes.insert(report.name);
  return processes.size();
}

TEST(CaseRunner, a_child_does_many_cases_unless_it_is_full_or_simgrids) {
  const auto names_process = [](const Case&, const RunOptions&) {
    Report report = sample_report();
    report.name = std::to_string(::getpid());
    return report;
  };
  const auto takes_memory = [&](const Case& which, const RunOptions& options) {
    const std::vector<char> much(std::size_t{256} << 20, 'x');
    Report report = names_process(which, options);
    report.time_s = much.back();
    return report;
  };
  const std::size_t cases = 4 * cases_at_once();
  EXPECT_LE(processes_of(cases, names_process, "fluid"), cases_at_once());
  EXPECT_EQ(processes_of(cases, names_process, "simgrid"), cases);
  EXPECT_EQ(processes_of(3, takes_memory, "fluid"), 3U);
}

TEST(CaseRunner, a_report_larger_than_a_pipe_comes_back_whole) {
  const auto reports = run_cases(named({"a", "b"}), {}, [](const Case&, const RunOptions&) {
    Report report = sample_report();
    report.spans.resize(100'000, Span{0, RankActivity::copy, 1, 1, 1, 0.25, 0.5, {}});
    return report;
  });
  EXPECT_EQ(reports[1].spans.size(), 100'000U);
}

TEST(CaseRunner, time_limit_ends_a_case_with_a_hint) {
  const auto sleeps = [](const Case&, const RunOptions&) {
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
    return Report();
  };
  const auto [code, text] = failure_of(named({"a"}), sleeps, Seconds(0.2));
  EXPECT_EQ(code, ExitCode::bad_input);
  EXPECT_EQ(text,
            "a: had not ended after 200 ms: lower the ranks of 'placement', or raise --time-limit");
}

TEST(CaseRunner, memory_that_is_not_there_is_bad_input) {
  const auto asks = [](const Case&, const RunOptions&) -> Report { throw std::bad_alloc(); };
  const auto ended = [](const Case&, const RunOptions&) {
    ::raise(SIGKILL);  // as the system does
    return Report();
  };
  for (const Simulate& one : {Simulate(asks), Simulate(ended)}) {
    const auto [code, text] = failure_of(named({"a"}), one);
    EXPECT_EQ(code, ExitCode::bad_input);
    EXPECT_EQ(text, "a: there is not enough memory to simulate it: lower the ranks of 'placement'");
  }
}

TEST(CaseRunner, the_memory_is_that_of_the_child) {
  const auto reports = run_cases(named({"a"}), {}, [](const Case&, const RunOptions&) {
    Report report = sample_report();
    report.peak_rss_bytes = 0;
    return report;
  });
  EXPECT_GT(reports[0].peak_rss_bytes, std::uint64_t{1} << 20);
}

TEST(CaseRunner, a_deadlock_keeps_its_words_and_exits_3) {
  const auto stuck = [](const Case&, const RunOptions&) -> Report {
    throw DeadlockError("deadlock at 41.2 us: rank 1 waits");
  };
  EXPECT_EQ(failure_of(named({"a"}), stuck),
            std::pair(ExitCode::stuck, std::string("deadlock at 41.2 us: rank 1 waits")));
}

TEST(CaseRunner, bad_input_found_late_exits_1) {
  const auto refuses = [](const Case&, const RunOptions&) -> Report {
    throw InputError({std::make_shared<const Source>(Source{"x.yaml", ""}), 0, 0}, "no");
  };
  EXPECT_EQ(failure_of(named({"a"}), refuses),
            std::pair(ExitCode::bad_input, std::string("x.yaml: no")));
}

TEST(CaseRunner, a_wrong_result_exits_4) {
  const auto wrong = [](const Case&, const RunOptions&) -> Report {
    throw Failure(ExitCode::wrong_result, "rank 2 holds the wrong sum");
  };
  EXPECT_EQ(failure_of(named({"a"}), wrong),
            std::pair(ExitCode::wrong_result, std::string("rank 2 holds the wrong sum")));
}

TEST(CaseRunner, a_child_that_dies_is_named_and_the_others_end) {
  const auto dies = [](const Case& one, const RunOptions&) -> Report {
    if (one.scenario->name == "bad") std::raise(SIGTERM);
    return sample_report();
  };
  EXPECT_EQ(failure_of(named({"good", "bad", "good"}), dies),
            std::pair(ExitCode::stuck,
                      std::string("bad: its process was killed by signal 15 (Terminated)")));
}

TEST(CaseRunner, a_child_that_leaves_without_a_word_is_an_error_too) {
  const auto leaves = [](const Case&, const RunOptions&) -> Report { std::_Exit(0); };
  EXPECT_EQ(failure_of(named({"a"}), leaves),
            std::pair(ExitCode::stuck, std::string("a: its process ended with code 0")));
}

TEST(CaseRunner, an_interrupt_is_not_for_a_child) {
  const auto interrupted = [](const Case&, const RunOptions&) {
    std::raise(SIGINT);
    return sample_report();
  };
  EXPECT_EQ(run_cases(named({"a"}), {}, interrupted).size(), 1U);
}

TEST(CaseRunner, no_child_outlives_its_parent) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::close(ends[0]);
    const auto waits = [&](const Case&, const RunOptions&) {
      [[maybe_unused]] const ssize_t said = ::write(ends[1], "x", 1);
      std::this_thread::sleep_for(std::chrono::minutes(1));
      return sample_report();
    };
    run_cases(named({"a"}), {}, waits);
    std::_Exit(0);
  }
  ::close(ends[1]);
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  ::kill(parent, SIGTERM);
  pollfd ended{ends[0], POLLIN, 0};  // when the last that could write is gone
  EXPECT_EQ(::poll(&ended, 1, 10'000), 1);
  ::waitpid(parent, nullptr, 0);
  ::close(ends[0]);
}

TEST(CaseRunner, progress_ends_at_one) {
  std::vector<double> seen;
  RunOptions options;
  options.progress = [&](double done) { seen.push_back(done); };
  run_cases(named({"a", "b"}), options, [](const Case&, const RunOptions& inner) {
    for (int i = 0; i <= 1000; ++i) inner.progress(i / 1000.0);
    return sample_report();
  });
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), 1);
}

TEST(Frame, is_taken_out_only_when_it_is_complete) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_TRUE(write_frame(ends[1], {Frame::Kind::report, "hello"}));
  char bytes[64];
  const ssize_t count = ::read(ends[0], bytes, sizeof bytes);
  ASSERT_EQ(count, 1 + 8 + 5);
  std::string buffer(bytes, static_cast<std::size_t>(count) - 1);
  EXPECT_FALSE(take_frame(buffer));
  buffer += "o+";
  const auto frame = take_frame(buffer);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->payload, "hello");
  EXPECT_EQ(buffer, "+");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace ringscope
