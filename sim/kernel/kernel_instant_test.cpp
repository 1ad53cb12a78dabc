// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the order of events at one instant as documented? Does any kernel answer by the last digit of
// a date?
#include <gmock/gmock.h>

#include <random>

#include "sim/kernel/kernel.hpp"
#include "sim/kernel/kernel_cases_for_test.hpp"

namespace ringscope::sim {
namespace {

using testing::ElementsAre;

class KernelInstant : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, KernelInstant,
                         testing::ValuesIn(kernel_names().begin(), kernel_names().end()),
                         kernel_of_test);

TEST_P(KernelInstant, events_within_rounding_run_in_insertion_order) {
  // 0.1 + 0.2 is later than 0.3 by a bit, and was set first.
  kernel().after(0.1, call([this] { kernel().after(0.2, log("0.1 + 0.2")); }));
  kernel().after(0.2, call([this] { kernel().after(0.1, log("0.2 + 0.1")); }));
  const int tenth = add_resource(10);
  start(1, {{tenth, 1}}, call([this, tenth] { start(2, {{tenth, 1}}, log("activity")); }));
  kernel().after(0.25, call([this] { kernel().after(0.3 - 0.25, log("0.25 + 0.05")); }));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("0.1 + 0.2", "0.2 + 0.1", "0.25 + 0.05", "activity"));
  EXPECT_EQ(times(), std::vector<double>(4, times().front()));
}

TEST_P(KernelInstant, events_beyond_rounding_are_separate_instants) {
  kernel().after(1 + 4 * instant_width, log("later"));
  kernel().after(1, log("sooner"));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("sooner", "later"));
  EXPECT_THAT(times(), ElementsAre(1, 1 + 4 * instant_width));
}

TEST_P(KernelInstant, due_activity_completes_despite_a_pause_in_its_instant) {
  const int resource = add_resource(1);
  ActivityId paused;
  kernel().after(2, call([&, this] { kernel().suspend(paused); }));
  paused = start(2, {{resource, 1}}, log("paused"));
  kernel().after(2, call([&, this] { EXPECT_EQ(kernel().remaining(paused), 0); }));
  kernel().after(5, call([&, this] { kernel().resume(paused); }));
  kernel().run();
  EXPECT_THAT(names(), ElementsAre("paused"));
  EXPECT_THAT(times(), ElementsAre(5));
}

TEST_P(KernelInstant, resumed_activity_slows_all_sharers) {
  // On its second resource too, when its first one has changed at the same instant
  // (Action::resume() of SimGrid 3.32 forgets these).
  const int first = add_resource(4), second = add_resource(4);
  const ActivityId id = start(8, {{first, 1}, {second, 1}}, log("goes on"));
  kernel().suspend(id);
  start(16, {{second, 1}}, log("meets it"));
  kernel().after(1, call([&, this] {
                   start(2, {{first, 1}}, log("new"));
                   kernel().resume(id);
                 }));
  kernel().run();
  // 4 of 16 in the first second; from then on both links are halved: 2 at 2, 8 at 2, 12 at 2 and 4.
  EXPECT_THAT(names(), ElementsAre("new", "goes on", "meets it"));
  EXPECT_THAT(times(), ElementsAre(1 + 2 / 2.0, 1 + 8 / 2.0, 1 + 8 / 2.0 + 4 / 4.0));
}

TEST_P(KernelInstant, a_second_run_has_the_digits_of_the_first) {
  const int resource = add_resource(3);
  const auto once = [&, this] {
    start(0.7, {{resource, 1}}, log("work"));
    start(1.1, {{resource, 2}}, log("more work"));
    kernel().after(0.1, log("timer"));
    kernel().run();
  };
  once();
  const std::vector<double> first = times();
  kernel().rewind();
  EXPECT_EQ(kernel().now(), 0);
  once();
  EXPECT_EQ(std::vector<double>(times().begin() + 3, times().end()), first);
}

// A factor of a power of two changes no digit of any number. So whatever differs hangs on a number
// of seconds, or of units a second, that stands in a kernel.
TEST_P(KernelInstant, a_unit_of_time_changes_no_digit_and_no_order) {
  const auto in_units_of = [&, this](double second) {
    std::mt19937_64 random(7);
    const auto drawn = [&](int least, int most) {
      return std::uniform_int_distribution<int>(least, most)(random);
    };
    std::vector<int> resources(6);
    for (int& one : resources) one = add_resource(drawn(1, 9) / 3.0 / second);
    for (int i = 0; i < 60; ++i) {
      const auto at = static_cast<std::size_t>(drawn(0, 5)), next = (at + 1) % resources.size();
      const std::vector<Use> uses = {{resources[at], drawn(1, 3)}, {resources[next], drawn(1, 3)}};
      const double amount = drawn(1, 9) / 7.0;
      kernel().after(drawn(0, 20) / 10.0 * second, call([this, i, amount, uses] {
                       start(amount, uses, log(std::to_string(i)));
                     }));
    }
    kernel().run();
    kernel().rewind();
  };
  in_units_of(1);
  const std::vector<std::string> order = names();
  ASSERT_EQ(order.size(), 60U);
  const std::vector<double> dates = times();
  for (const double second : {0x1p-40, 0x1p-10, 0x1p10, 0x1p40}) {
    forget_log();
    in_units_of(second);
    EXPECT_EQ(names(), order) << second;
    ASSERT_EQ(times().size(), dates.size());
    for (std::size_t i = 0; i < dates.size(); ++i) EXPECT_EQ(times()[i], dates[i] * second) << i;
  }
}

}  // namespace
}  // namespace ringscope::sim
