// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the ledger know how much of each resource was used, and what held each activity up?
#include "sim/machine/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/kernel/kernel_cases_for_test.hpp"

namespace ringscope::sim {
namespace {

constexpr int nothing = -1;

class LedgerTest : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    ledger_ = std::make_unique<Ledger>(kernel());
  }

  Ledger& ledger() { return *ledger_; }
  int add(ResourceKind kind, double capacity) { return ledger().add({{}, kind, capacity}); }
  int fly(double amount, std::vector<Use> uses) {
    return ledger().start(amount, uses, call([] {}));
  }
  /// As fly(); its bottleneck is noted when it completes.
  int watch(double amount, std::vector<Use> uses) {
    return ledger().start(amount, uses,
                          call([this] { bottlenecks_.push_back(ledger().bottleneck()); }));
  }
  void at(double date, std::function<void()> what) { kernel().after(date, call(std::move(what))); }
  std::vector<int> run() {
    kernel().run();
    return bottlenecks_;
  }

 private:
  std::unique_ptr<Ledger> ledger_;
  std::vector<int> bottlenecks_;
};
INSTANTIATE_TEST_SUITE_P(Kernels, LedgerTest,
                         testing::ValuesIn(kernel_names().begin(), kernel_names().end()),
                         kernel_of_test);

using testing::ElementsAre;

TEST_P(LedgerTest, a_resource_keeps_its_description) {
  const int id = ledger().add({{"host0/core1", 3}, ResourceKind::core, 8, 3});
  EXPECT_EQ(ledger().resource(id).id, (ResourceId{"host0/core1", 3}));
  EXPECT_EQ(ledger().resource(id).kind, ResourceKind::core);
  EXPECT_EQ(ledger().resource(id).rank, 3);
  EXPECT_EQ(ledger().resource_count(), 1);
  EXPECT_EQ(ledger().used(id), 0);
}

TEST_P(LedgerTest, used_counts_weights_of_ended_activities) {
  const int core = add(ResourceKind::core, 16), wire = add(ResourceKind::link, 4);
  fly(8, {{core, 3}, {wire, 1}});
  fly(2, {{wire, 2}});
  at(0.5, [this, core] { EXPECT_EQ(ledger().used(core), 0) << "still in flight"; });
  run();
  EXPECT_DOUBLE_EQ(ledger().used(core), 8 * 3);
  EXPECT_DOUBLE_EQ(ledger().used(wire), 8 * 1 + 2 * 2);
}

// Rates x: the wire of 4 per second carries x + 2 x.
TEST_P(LedgerTest, carried_counts_activities_that_have_not_ended_too) {
  const int core = add(ResourceKind::core, 16), wire = add(ResourceKind::link, 4);
  fly(8, {{core, 3}, {wire, 1}});
  fly(2, {{wire, 2}});
  at(0.5, [this, core, wire] {
    EXPECT_DOUBLE_EQ(ledger().carried(core), 3 * 0.5 * 4 / 3);
    EXPECT_DOUBLE_EQ(ledger().carried(wire), 0.5 * 4);
  });
  run();
  EXPECT_EQ(ledger().carried(core), ledger().used(core));
  EXPECT_EQ(ledger().carried(wire), ledger().used(wire));
}

TEST_P(LedgerTest, alone_the_narrowest_resource_holds_an_activity_up) {
  const int core = add(ResourceKind::core, 16), wire = add(ResourceKind::link, 8);
  watch(8, {{core, 1}, {wire, 1}});  // 16 against 8 per second
  EXPECT_THAT(run(), ElementsAre(wire));
  watch(8, {{core, 3}, {wire, 1}});  // 16 / 3 against 8
  EXPECT_THAT(run(), ElementsAre(wire, core));
}

TEST_P(LedgerTest, a_core_that_two_activities_share_holds_both_up_though_no_wire_is_full) {
  const int core = add(ResourceKind::core, 8);
  const int out = add(ResourceKind::link, 5), in = add(ResourceKind::link, 5);
  watch(8, {{out, 1}, {core, 1}});  // each gets 4 of the core, and would get 5 of its wire
  watch(8, {{in, 1}, {core, 1}});
  EXPECT_THAT(run(), ElementsAre(core, core));
  EXPECT_DOUBLE_EQ(kernel().now(), 16 / 8.0);
}

TEST_P(LedgerTest,
       a_wire_that_others_fill_is_the_bottleneck_of_an_activity_that_uses_little_of_it) {
  const int core = add(ResourceKind::core, 4), wire = add(ResourceKind::link, 8);
  for (int i = 0; i < 3; ++i) fly(64, {{wire, 1}});
  watch(2, {{core, 1}, {wire, 1}});  // a quarter of the wire is half of the core
  EXPECT_THAT(run(), ElementsAre(wire));
}

TEST_P(LedgerTest, most_used_of_two_full_resources_is_the_bottleneck) {
  const int core = add(ResourceKind::core, 8), wire = add(ResourceKind::link, 4);
  watch(8, {{core, 1}, {wire, 1}});  // at 4: half of the core, all of the wire
  fly(8, {{core, 1}});               // the other half
  EXPECT_THAT(run(), ElementsAre(wire));
}

TEST_P(LedgerTest, first_of_equal_resources_is_the_bottleneck) {
  const int core = add(ResourceKind::core, 8), wire = add(ResourceKind::link, 4);
  watch(8, {{core, 2}, {wire, 1}});
  EXPECT_THAT(run(), ElementsAre(core));
  watch(8, {{wire, 1}, {core, 2}});
  EXPECT_THAT(run(), ElementsAre(core, wire));
}

TEST_P(LedgerTest, activity_without_time_or_resource_has_no_bottleneck) {
  const int core = add(ResourceKind::core, 8);
  watch(0, {{core, 1}});
  watch(8, {});
  EXPECT_THAT(run(), ElementsAre(nothing, nothing));
  EXPECT_EQ(ledger().used(core), 0);
}

TEST_P(LedgerTest, each_window_between_pauses_has_its_own_bottleneck) {
  const int core = add(ResourceKind::core, 8), wire = add(ResourceKind::link, 6);
  const int activity = watch(16, {{core, 1}, {wire, 1}});
  at(1, [&, this] {  // 6 moved, the wire was full
    ledger().pause(activity);
    EXPECT_EQ(ledger().bottleneck(), wire);
  });
  at(3, [&, this] {  // 10 left
    ledger().resume(activity);
    fly(8, {{core, 1}});
  });
  at(5, [&, this] {  // 4 a second while the two share the core
    ledger().pause(activity);
    EXPECT_EQ(ledger().bottleneck(), core);
  });
  at(6, [&, this] { ledger().resume(activity); });
  EXPECT_THAT(run(), ElementsAre(wire));
  EXPECT_DOUBLE_EQ(kernel().now(), 6 + (16 - 6 - 8) / 6.0);
  EXPECT_DOUBLE_EQ(ledger().used(core), 16 + 8);
}

TEST_P(LedgerTest, stop_returns_what_moved_and_calls_nobody) {
  const int core = add(ResourceKind::core, 8), wire = add(ResourceKind::link, 4);
  const int activity = watch(16, {{core, 1}, {wire, 1}});
  at(1, [&, this] {
    EXPECT_DOUBLE_EQ(ledger().stop(activity), 4);
    EXPECT_EQ(ledger().bottleneck(), wire);
  });
  EXPECT_THAT(run(), ElementsAre());
  EXPECT_DOUBLE_EQ(ledger().used(core), 4);
  EXPECT_DOUBLE_EQ(ledger().used(wire), 4);
  EXPECT_DOUBLE_EQ(kernel().now(), 1);
}

TEST_P(LedgerTest, stopping_a_paused_activity_leaves_the_bottleneck_of_its_last_window) {
  const int wire = add(ResourceKind::link, 4);
  const int activity = fly(16, {{wire, 1}});
  at(1, [&, this] { ledger().pause(activity); });
  at(9, [&, this] {
    EXPECT_DOUBLE_EQ(ledger().stop(activity), 4);
    EXPECT_EQ(ledger().bottleneck(), wire);
  });
  run();
  EXPECT_DOUBLE_EQ(ledger().used(wire), 4);
}

TEST_P(LedgerTest, stopping_at_the_instant_of_completion_returns_the_whole_amount) {
  const int wire = add(ResourceKind::link, 4);
  int second = -1;
  std::vector<Use> uses = {{wire, 1}};
  ledger().start(4, uses, call([&, this] { EXPECT_DOUBLE_EQ(ledger().stop(second), 4); }));
  second = watch(4, uses);
  EXPECT_THAT(run(), ElementsAre());
  EXPECT_DOUBLE_EQ(ledger().used(wire), 4 + 4);
}

TEST_P(LedgerTest, many_activities_that_come_and_go_add_up) {
  const int core = add(ResourceKind::core, 64), wire = add(ResourceKind::link, 32);
  double amounts = 0, stopped = 0;
  std::vector<int> activities;
  for (int i = 0; i < 40; ++i) {
    at(i / 8.0, [&, i, this] {
      activities.push_back(fly(8 + i, {{core, 1 + i % 3}, {wire, 1}}));
      amounts += 8 + i;
    });
    if (i % 5 == 4)
      at((i + 0.5) / 8.0, [&, i, this] {
        const double moved = ledger().stop(activities[static_cast<std::size_t>(i)]);
        EXPECT_GT(moved, 0);
        stopped += 8 + i - moved;
      });
  }
  run();
  EXPECT_NEAR(ledger().used(wire), amounts - stopped, 1e-9 * amounts);
}

}  // namespace
}  // namespace ringscope::sim
