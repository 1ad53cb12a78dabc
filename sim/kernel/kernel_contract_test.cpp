// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every kernel keep kernel.hpp's word: what is called, when, and in which order?
//
// Dates are sums of powers of two, so equal ones are equal to the last bit.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "sim/kernel/kernel_cases_for_test.hpp"

namespace ringscope::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class KernelContract : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, KernelContract,
                         testing::ValuesIn(kernel_names().begin(), kernel_names().end()),
                         kernel_of_test);

TEST(KernelByName, an_unknown_name_lists_the_known_ones) {
  try {
    make_kernel("simgird");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "unknown kernel 'simgird' (known: simgrid, fluid, reference)");
  }
}

TEST_P(KernelContract, kernel_has_a_name_and_starts_at_time_zero) {
  EXPECT_EQ(kernel().name(), GetParam());
  EXPECT_EQ(kernel().now(), 0);
  kernel().run();
  EXPECT_EQ(kernel().now(), 0);
}

TEST_P(KernelContract, timers_fire_at_their_date) {
  kernel().after(2, log("late"));
  kernel().after(0.5, log("early"));
  kernel().after(0, log("now"));
  EXPECT_THAT(names(), IsEmpty());
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("now", "early", "late"));
  EXPECT_THAT(times(), ElementsAre(0, 0.5, 2));
}

TEST_P(KernelContract, timers_of_one_date_fire_in_the_order_in_which_they_were_set) {
  std::vector<std::string> expected;
  for (int i = 0; i < 100; ++i) {
    expected.push_back(std::to_string(i));
    kernel().after(1, log(expected.back()));
  }
  kernel().run();
  EXPECT_EQ(names(), expected);
}

TEST_P(KernelContract, an_argument_reaches_its_callback) {
  struct Sum {
    std::uint64_t value = 0;
    void add(std::uint64_t more) { value += more; }
  } sum;
  kernel().after(0, Callback::to<&Sum::add>(&sum, 40));
  kernel().after(1, Callback::to<&Sum::add>(&sum, 2));
  kernel().run();
  EXPECT_EQ(sum.value, 42u);
}

TEST_P(KernelContract, timers_come_first_then_completions_in_the_order_of_start) {
  const int wide = add_resource(4), narrow = add_resource(1);
  start(2, {{narrow, 1}}, log("started first"));
  start(8, {{wide, 1}}, log("started second"));
  const int other = add_resource(8);
  start(16, {{other, 1}}, log("started third"));
  kernel().after(2, log("timer"));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("timer", "started first", "started second", "started third"));
  EXPECT_THAT(times(), ElementsAre(2, 2, 2, 2));
}

TEST_P(KernelContract, timers_set_for_the_current_instant_run_in_rounds) {
  const int resource = add_resource(2);
  start(2, {{resource, 1}}, call([this] {
          log("completion")();
          kernel().after(0, log("timer of a completion"));
        }));
  start(2, {{resource, 1}}, log("next completion"));
  kernel().after(2, call([this] {
                   log("timer")();
                   kernel().after(0, log("timer of a timer"));
                 }));
  kernel().after(2, log("next timer"));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("timer", "next timer", "timer of a timer", "completion",
                                   "next completion", "timer of a completion"));
  EXPECT_EQ(times(), std::vector<double>(6, 2.0));
}

TEST_P(KernelContract, nothing_to_do_completes_at_this_instant_but_not_inside_start) {
  const int resource = add_resource(1);
  kernel().after(1, call([this, resource] {
                   start(0, {{resource, 1}}, log("zero amount"));
                   kernel().after(0, log("timer"));
                   start(5, {}, log("no uses"));
                   EXPECT_THAT(names(), IsEmpty());
                 }));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("zero amount", "timer", "no uses"));
  EXPECT_EQ(times(), std::vector<double>(3, 1.0));
}

TEST_P(KernelContract, callbacks_start_what_comes_next) {
  const int resource = add_resource(4);
  int left = 100;
  std::function<void()> next = [&] {
    if (left-- > 0) start(1, {{resource, 1}}, call(next));
  };
  next();
  kernel().run();
  EXPECT_EQ(left, -1);
  EXPECT_DOUBLE_EQ(kernel().now(), 100 / 4.0);
}

TEST_P(KernelContract, run_takes_up_what_was_added_after_it_returned) {
  const int resource = add_resource(2);
  start(2, {{resource, 1}}, log("first"));
  kernel().run();
  kernel().run();
  EXPECT_EQ(kernel().now(), 1);
  start(4, {{resource, 1}}, log("second"));
  kernel().after(1, log("timer"));
  const int later = add_resource(1);
  start(4, {{later, 1}}, log("third"));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("first", "timer", "second", "third"));
  EXPECT_THAT(times(), ElementsAre(1, 2, 3, 5));
}

TEST_P(KernelContract, ids_of_ended_activities_serve_again) {
  const int resource = add_resource(1);
  int most = 0;
  for (int round = 0; round < 50; ++round) {
    const ActivityId completed = start(1, {{resource, 1}}, {});
    const ActivityId cancelled = start(1, {{resource, 1}}, {});
    most = std::max({most, completed.slot, cancelled.slot});
    kernel().cancel(cancelled);
    kernel().run();
  }
  EXPECT_LT(most, 2);
  EXPECT_EQ(kernel().now(), 50);
}

TEST_P(KernelContract, remaining_work_decreases_with_time) {
  const int resource = add_resource(8);
  const ActivityId heavy = start(16, {{resource, 3}}, {}), light = start(16, {{resource, 1}}, {});
  EXPECT_EQ(kernel().remaining(heavy), 16);
  kernel().after(1, call([&, this] {
                   // 3x + x = 8
                   EXPECT_DOUBLE_EQ(kernel().remaining(heavy), 16 - 2);
                   EXPECT_DOUBLE_EQ(kernel().remaining(light), 16 - 2);
                 }));
  kernel().run();
  EXPECT_DOUBLE_EQ(kernel().now(), 16 / 2.0);
}

TEST_P(KernelContract, a_suspended_activity_keeps_what_is_left_and_frees_what_it_used) {
  const int resource = add_resource(2);
  const ActivityId paused = start(4, {{resource, 1}}, log("paused"));
  start(4, {{resource, 1}}, log("other"));
  kernel().after(1, call([&, this] { kernel().suspend(paused); }));
  kernel().after(2, call([&, this] { EXPECT_DOUBLE_EQ(kernel().remaining(paused), 4 - 1); }));
  kernel().after(8, call([&, this] { kernel().resume(paused); }));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("other", "paused"));
  // 1 s at half of 2 units/s, the other 3 units alone; the paused one likewise from 8 s on.
  EXPECT_THAT(times(), ElementsAre(1 + 3 / 2.0, 8 + 3 / 2.0));
}

TEST_P(KernelContract, suspending_and_resuming_at_once_changes_nothing) {
  const int resource = add_resource(1);
  const ActivityId id = start(4, {{resource, 1}}, log("done"));
  for (const double date : {0.0, 1.0, 2.0})
    kernel().after(date, call([&, this] {
                     kernel().suspend(id);
                     kernel().resume(id);
                   }));
  kernel().run();
  EXPECT_THAT(times(), ElementsAre(4));
}

TEST_P(KernelContract, an_activity_is_suspended_and_resumed_many_times) {
  const int resource = add_resource(1);
  const ActivityId id = start(8, {{resource, 1}}, log("done"));
  for (int second = 1; second < 7; ++second) {
    kernel().after(2 * second, call([&, this] { kernel().suspend(id); }));
    kernel().after(2 * second + 1, call([&, this] { kernel().resume(id); }));
  }
  kernel().run();
  // Two seconds at first, then every other one: 2 + 6.
  EXPECT_THAT(times(), ElementsAre(2 + 2 * 6));
}

TEST_P(KernelContract, a_suspended_activity_does_not_hold_up_run) {
  const int resource = add_resource(1);
  const ActivityId id = start(4, {{resource, 1}}, log("done"));
  kernel().after(1, call([&, this] { kernel().suspend(id); }));
  kernel().run();
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(kernel().now(), 1);
  EXPECT_DOUBLE_EQ(kernel().remaining(id), 3);
  kernel().resume(id);
  kernel().run();
  EXPECT_THAT(times(), ElementsAre(4));
}

TEST_P(KernelContract, completion_while_suspended_is_reported_on_resume) {
  const int resource = add_resource(2);
  ActivityId second, nothing;
  start(2, {{resource, 1}}, call([&, this] {
          kernel().suspend(second);
          nothing = start(0, {}, log("nothing"));
          kernel().suspend(nothing);
        }));
  second = start(2, {{resource, 1}}, log("second"));
  ActivityId third = start(4, {{add_resource(2), 1}}, log("third"));
  kernel().after(2, call([&, this] { kernel().suspend(third); }));
  kernel().after(3, call([&, this] {
                   EXPECT_THAT(names(), IsEmpty());
                   for (const ActivityId id : {third, second, nothing}) {
                     EXPECT_EQ(kernel().remaining(id), 0);
                     kernel().resume(id);
                   }
                   EXPECT_THAT(names(), IsEmpty());
                 }));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("third", "second", "nothing"));
  EXPECT_EQ(times(), std::vector<double>(3, 3.0));
}

TEST_P(KernelContract, a_cancelled_activity_never_calls_back_and_frees_what_it_used) {
  const int resource = add_resource(2);
  const ActivityId doomed = start(4, {{resource, 1}}, log("doomed"));
  start(4, {{resource, 1}}, log("other"));
  kernel().after(1, call([&, this] { kernel().cancel(doomed); }));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("other"));
  EXPECT_THAT(times(), ElementsAre(1 + 3 / 2.0));
}

TEST_P(KernelContract, cancelling_at_the_instant_of_completion_is_in_time) {
  const int resource = add_resource(3);
  const std::vector<Use> uses = {{resource, 1}};
  ActivityId by_timer, by_completion, nothing;
  kernel().after(2, call([&, this] { kernel().cancel(by_timer); }));
  by_timer = start(2, uses, log("cancelled by a timer"));
  start(2, uses, call([&, this] { kernel().cancel(by_completion); }));
  by_completion = start(2, uses, log("cancelled by a completion"));
  nothing = start(0, {}, log("cancelled before it ran"));
  kernel().cancel(nothing);
  kernel().run();
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(kernel().now(), 2);
  start(3, uses, log("alone again"));
  kernel().run();
  EXPECT_THAT(times(), ElementsAre(3));
}

TEST_P(KernelContract, a_suspended_activity_can_be_cancelled) {
  const int resource = add_resource(1);
  const ActivityId half_done = start(2, {{resource, 1}}, log("half done"));
  const ActivityId done = start(0, {}, log("done"));
  kernel().suspend(done);
  kernel().after(1, call([&, this] { kernel().suspend(half_done); }));
  kernel().run();
  kernel().cancel(half_done);
  kernel().cancel(done);
  for (int i = 0; i < 2; ++i) start(1, {{resource, 1}}, log("later"));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("later", "later"));
  EXPECT_THAT(times(), ElementsAre(3, 3));
}

TEST_P(KernelContract, a_kernel_can_be_dropped_with_work_left) {
  const int resource = add_resource(1);
  const ActivityId stuck = start(2, {{resource, 1}}, log("stuck"));
  kernel().after(1, call([&, this] { kernel().suspend(stuck); }));
  kernel().run();
  start(2, {{resource, 1}}, log("never run"));
  kernel().after(5, log("never due"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_P(KernelContract, a_capacity_changes_from_now_on) {
  const int resource = add_resource(4);
  start(16, {{resource, 1}}, log("done"));
  kernel().after(1, call([&, this] { kernel().set_capacity(resource, 1); }));
  kernel().after(5, call([&, this] { kernel().set_capacity(resource, 16); }));
  kernel().run();
  // 4 units in the first second, 4 in the next four seconds, 8 left.
  EXPECT_THAT(times(), ElementsAre(5 + 8 / 16.0));
}

TEST_P(KernelContract, an_idle_resource_keeps_its_new_capacity) {
  const int resource = add_resource(1);
  kernel().set_capacity(resource, 8);
  start(16, {{resource, 2}}, log("done"));
  kernel().run();
  EXPECT_THAT(times(), ElementsAre(16 * 2 / 8.0));
}

TEST_P(KernelContract, ten_thousand_equals_complete_together_in_the_order_of_start) {
  const int count = GetParam() == "reference" ? 300 : 10'000;
  const int resource = add_resource(count);
  std::vector<int> order;
  std::vector<double> dates;
  for (int i = 0; i < count; ++i)
    start(1024, {{resource, 1}}, call([&, i, this] {
            order.push_back(i);
            dates.push_back(kernel().now());
          }));
  kernel().run();
  std::vector<int> expected(static_cast<std::size_t>(count));
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
  EXPECT_EQ(dates.front(), dates.back());
  EXPECT_NEAR(dates.back(), 1024, 1e-9 * 1024);
}

}  // namespace
}  // namespace ringscope::sim
