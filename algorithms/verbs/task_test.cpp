// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a task run when it is awaited, not before, and clean up after itself whatever happens?
#include "algorithms/verbs/task.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "scripts/testing/sanitized.hpp"

namespace ringscope {
namespace {

using Log = std::shared_ptr<std::string>;

Log new_log() { return std::make_shared<std::string>(); }

Task write(Log log, std::string text) {
  *log += text;
  co_return;
}

Task fail() {
  throw std::runtime_error("broken");
  co_return;
}

void run(Task task) {
  task.start();
  ASSERT_TRUE(task.done());
  task.rethrow();
}

TEST(Task, runs_nothing_before_it_is_started) {
  const Log log = new_log();
  Task task = write(log, "ran");
  EXPECT_EQ(*log, "");
  task.start();
  EXPECT_EQ(*log, "ran");
  EXPECT_TRUE(task.done());
}

TEST(Task, frees_its_arguments_when_it_is_never_awaited) {
  const Log log = new_log();
  {
    Task task = write(log, "never");
    EXPECT_EQ(log.use_count(), 2);
  }
  EXPECT_EQ(log.use_count(), 1);
  EXPECT_EQ(*log, "");
}

Task suspend_for_ever(Log) { co_await std::suspend_always{}; }

TEST(Task, frees_its_arguments_when_it_is_destroyed_half_way) {
  const Log log = new_log();
  {
    Task task = suspend_for_ever(log);
    task.start();
    EXPECT_FALSE(task.done());
  }
  EXPECT_EQ(log.use_count(), 1);
}

Task suspend_inside(Log log) { co_await suspend_for_ever(log); }

TEST(Task, destroys_the_task_that_it_awaits) {
  const Log log = new_log();
  {
    Task task = suspend_inside(log);
    task.start();
  }
  EXPECT_EQ(log.use_count(), 1);
}

Task write_in_order(Log log) {
  *log += "a";
  co_await write(log, "b");
  *log += "c";
  Task later = write(log, "e");
  *log += "d";
  co_await std::move(later);
}

TEST(Task, awaits_others_in_the_order_of_the_text) {
  const Log log = new_log();
  run(write_in_order(log));
  EXPECT_EQ(*log, "abcde");
}

Task catch_failure(Log log) {
  try {
    co_await fail();
  } catch (const std::runtime_error& error) {
    *log += error.what();
  }
}

Task pass_failure_on() { co_await fail(); }

TEST(Task, rethrows_where_it_is_awaited) {
  const Log log = new_log();
  run(catch_failure(log));
  EXPECT_EQ(*log, "broken");
}

TEST(Task, rethrows_to_who_started_it) {
  EXPECT_THROW(run(fail()), std::runtime_error);
  EXPECT_THROW(run(pass_failure_on()), std::runtime_error);
}

TEST(Task, moves_its_ownership) {
  const Log log = new_log();
  Task first = write(log, "moved");
  Task second = std::move(first);
  second.start();
  EXPECT_EQ(*log, "moved");
  second = write(log, " twice");
  second.start();
  EXPECT_EQ(*log, "moved twice");
}

// Symmetric transfer is a tail call. GCC makes one of it from -O2 on (-O1 is not told apart here)
// and where nothing instruments the frames; elsewhere the chain stays short enough for any stack.
int deep() {
#ifdef __OPTIMIZE__
  if (!sanitized) return 100'000;
#endif
  return 1'000;
}

Task descend(int depth, std::shared_ptr<int> reached) {
  *reached += 1;
  if (depth > 1) co_await descend(depth - 1, reached);
}

Task await_many(int count, std::shared_ptr<int> reached) {
  for (int i = 0; i < count; ++i) co_await descend(1, reached);
}

TEST(Task, uses_no_stack_for_many_awaits_in_a_row) {
  const auto reached = std::make_shared<int>(0);
  constexpr int many = 100'000;  // in every build
  run(await_many(many, reached));
  EXPECT_EQ(*reached, many);
}

TEST(Task, nests_as_deep_as_memory_lasts) {
  const auto reached = std::make_shared<int>(0);
  run(descend(deep(), reached));
  EXPECT_EQ(*reached, deep());
}

}  // namespace
}  // namespace ringscope
