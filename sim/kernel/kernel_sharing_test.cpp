// SPDX-License-Identifier: LGPL-2.1-or-later
// Do activities share resources max-min fairly, as an independent solver finds it?
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "sim/kernel/kernel.hpp"
#include "sim/kernel/kernel_cases_for_test.hpp"

namespace ringscope::sim::kernel_sharing_test {
namespace {

constexpr double tolerance = 1e-9;  // relative

struct Work {
  double amount = 0;
  std::vector<Use> uses;
};

struct System {
  std::vector<double> capacities;
  std::vector<Work> works;
};

/// Progressive filling: all rates rise together; who uses the resource that fills first stops.
std::vector<double> max_min_rates(const System& system, const std::vector<double>& left) {
  std::vector<double> rates(system.works.size(), 0.0), free = system.capacities;
  std::vector<bool> rising(system.works.size());
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = left[i] > 0;
  for (;;) {
    std::vector<double> weights(free.size(), 0.0);
    for (std::size_t i = 0; i < rising.size(); ++i)
      for (const Use& use : system.works[i].uses)
        if (rising[i]) weights[static_cast<std::size_t>(use.resource)] += use.weight;
    double step = std::numeric_limits<double>::infinity();
    std::size_t full = 0;
    for (std::size_t r = 0; r < free.size(); ++r)
      if (weights[r] > 0 && free[r] / weights[r] < step) step = free[r] / weights[full = r];
    if (std::isinf(step)) return rates;
    for (std::size_t r = 0; r < free.size(); ++r) free[r] -= step * weights[r];
    for (std::size_t i = 0; i < rising.size(); ++i) {
      if (!rising[i]) continue;
      rates[i] += step;
      for (const Use& use : system.works[i].uses)
        if (static_cast<std::size_t>(use.resource) == full) rising[i] = false;
    }
  }
}

/// End of each work, all of them started at 0.
std::vector<double> completion_times(const System& system) {
  std::vector<double> left, times(system.works.size(), 0.0);
  for (const Work& work : system.works) left.push_back(work.amount);
  for (double now = 0;;) {
    const std::vector<double> rates = max_min_rates(system, left);
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < left.size(); ++i)
      if (left[i] > 0) step = std::min(step, left[i] / rates[i]);
    if (std::isinf(step)) return times;
    now += step;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i] <= 0) continue;
      left[i] -= rates[i] * step;
      if (left[i] > system.works[i].amount * 1e-13) continue;
      left[i] = 0;
      times[i] = now;
    }
  }
}

/// Capacities of 1e3 to 1e9, amounts of 1e6 to 1e11: dates from milliseconds to years.
System random_system(std::mt19937_64& random) {
  const auto whole = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const auto power_of_ten = [&](double low, double high) {
    return std::round(std::pow(10, std::uniform_real_distribution<double>(low, high)(random)));
  };
  System system;
  const int resources = whole(2, 8), works = whole(1, 12);
  for (int r = 0; r < resources; ++r) system.capacities.push_back(power_of_ten(3, 9));
  for (int i = 0; i < works; ++i) {
    Work work{power_of_ten(6, 11), {}};
    for (int r = 0; r < resources; ++r)
      if (whole(0, 2) == 0) work.uses.push_back({r, whole(1, 20)});
    if (work.uses.empty()) work.uses.push_back({whole(0, resources - 1), whole(1, 20)});
    system.works.push_back(work);
  }
  return system;
}

class KernelSharing : public KernelTest {
 protected:
  struct Lane {
    System system;
    int first_resource = 0;
    double begun = 0;
    std::vector<double> times;  ///< of completion, since it begun
    std::size_t done = 0;
  };

  void add(System system) {
    Lane& lane = lanes_.emplace_back();
    lane.system = std::move(system);
    lane.times.resize(lane.system.works.size());
    for (std::size_t r = 0; r < lane.system.capacities.size(); ++r) {
      const int id = add_resource(lane.system.capacities[r]);
      if (r == 0) lane.first_resource = id;
    }
  }

  void begin(Lane& lane) {
    lane.begun = kernel().now();
    for (std::size_t i = 0; i < lane.times.size(); ++i) {
      std::vector<Use> uses = lane.system.works[i].uses;
      for (Use& use : uses) use.resource += lane.first_resource;
      start(lane.system.works[i].amount, uses, call([&lane, i, this] {
              lane.times[i] = kernel().now() - lane.begun;
              ++lane.done;
            }));
    }
  }

  void expect_max_min(const Lane& lane) {
    EXPECT_EQ(lane.done, lane.times.size());
    const std::vector<double> expected = completion_times(lane.system);
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * kernel().now();
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(lane.times[i], expected[i], tolerance * expected[i] + rounding)
          << "activity " << i << " of system " << (&lane - &lanes_.front());
  }

  std::vector<Lane> lanes_;
};
INSTANTIATE_TEST_SUITE_P(Kernels, KernelSharing,
                         testing::ValuesIn(kernel_names().begin(), kernel_names().end()),
                         kernel_of_test);

// Whichever side of the middle the error of a sum leaves it on.
TEST(Exact, rounds_what_is_halfway_to_the_even_double) {
  constexpr double gap = 0x1p-52, error = 0x1p-100;
  for (const double off : {-error, 0.0, error}) {
    EXPECT_EQ(rounded(Exact(1) + gap / 2 + off), 1);
    EXPECT_EQ(rounded(Exact(1 + gap) + gap / 2 + off), 1 + 2 * gap);
    EXPECT_EQ(rounded(Exact(-1) - gap / 2 + off), -1);
  }
  EXPECT_EQ(rounded(Exact(1) + gap / 2 * (1 + 0x1p-20)), 1 + gap);
  EXPECT_EQ(rounded(Exact(1 + gap) + gap / 2 * (1 - 0x1p-20)), 1 + gap);
}

TEST(MaxMin, the_solver_of_these_tests_knows_three_textbook_cases) {
  const auto rates = [](const System& system) {
    return max_min_rates(system, std::vector<double>(system.works.size(), 1.0));
  };
  using testing::ElementsAre;
  EXPECT_THAT(rates({{12}, {{1, {{0, 1}}}, {1, {{0, 3}}}}}), ElementsAre(12 / 4.0, 12 / 4.0));
  // A line of two links: the long flow and one short one halve the narrow link, the rest is free.
  EXPECT_THAT(rates({{10, 4}, {{1, {{0, 1}, {1, 1}}}, {1, {{0, 1}}}, {1, {{1, 1}}}}}),
              ElementsAre(4 / 2.0, 10 - 4 / 2.0, 4 / 2.0));
  EXPECT_THAT(rates({{6, 100}, {{1, {{0, 2}, {1, 1}}}, {1, {{1, 1}}}}}),
              ElementsAre(6 / 2.0, 100 - 6 / 2.0));
}

TEST_P(KernelSharing, many_random_systems_run_side_by_side) {
  constexpr unsigned seed = 20'240'611;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const int count = GetParam() == "reference" ? 10 : 300;  // it looks at all of them, always
  lanes_.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) add(random_system(random));
  for (Lane& lane : lanes_) begin(lane);
  kernel().run();
  for (const Lane& lane : lanes_) expect_max_min(lane);
}

TEST_P(KernelSharing, random_systems_run_one_after_the_other) {
  constexpr unsigned seed = 7'919;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  lanes_.reserve(100);
  for (int i = 0; i < 100; ++i) {
    System system = random_system(random);
    // Dates add up here: capacities that differ less keep the digits of the later ones.
    for (double& capacity : system.capacities) capacity = std::round(std::cbrt(capacity)) * 1e6;
    add(std::move(system));
    begin(lanes_.back());
    kernel().run();
    expect_max_min(lanes_.back());
  }
}

// Each has an equal share: when that of `i` units ends, those before it are done and the rest have
// moved as much as it has.
TEST_P(KernelSharing, an_incast_of_a_thousand_ends_one_by_one) {
  constexpr int count = 1000;
  constexpr double capacity = 3;
  const int receiver = add_resource(capacity);
  std::vector<double> ends(count + 1, 0.0);
  for (int i = 1; i <= count; ++i)
    start(i, {{add_resource(1), 1}, {receiver, 1}},
          call([this, &ends, i] { ends[static_cast<std::size_t>(i)] = kernel().now(); }));
  kernel().run();
  for (int i = 1; i <= count; ++i) {
    // Three are left of which each is held back by its sender, at 1.
    const double shared = std::min(i, count - 2);
    const double expected =
        (shared * (shared + 1) / 2 + (count - shared) * shared) / capacity + (i - shared);
    EXPECT_NEAR(ends[static_cast<std::size_t>(i)], expected, tolerance * expected) << i;
  }
}

TEST_P(KernelSharing, usage_counts_finished_running_and_stopped_activities) {
  const int wide = add_resource(8), narrow = add_resource(2);
  start(4, {{wide, 3}, {narrow, 1}}, {});  // at 1 while two share `narrow`
  const ActivityId stopped = start(10, {{wide, 1}, {narrow, 1}}, {});
  kernel().after(1, call([&, this] {
                   EXPECT_DOUBLE_EQ(kernel().used(wide), 3 * 1 + 1 * 1);
                   EXPECT_DOUBLE_EQ(kernel().used(narrow), 1 + 1);
                   kernel().cancel(stopped);
                 }));
  kernel().run();
  EXPECT_DOUBLE_EQ(kernel().used(wide), 3 * 4 + 1 * 1);
  EXPECT_DOUBLE_EQ(kernel().used(narrow), 4 + 1);
  kernel().rewind();
  EXPECT_EQ(kernel().used(wide), 0);
}

TEST_P(KernelSharing, amounts_and_capacities_span_twelve_orders_of_magnitude) {
  std::vector<double> expected, times;
  for (double amount = 1; amount <= 1e12; amount *= 10)
    for (double capacity = 1; capacity <= 1e12; capacity *= 1000) {
      if (amount / capacity < 1e-3) continue;
      const std::size_t index = expected.size();
      expected.push_back(amount * 7 / capacity);
      times.push_back(0);
      start(amount, {{add_resource(capacity), 7}},
            call([&, index, this] { times[index] = kernel().now(); }));
    }
  kernel().run();
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(times[i], expected[i], tolerance * expected[i]);
}

TEST_P(KernelSharing, microseconds_are_exact_to_a_picosecond) {
  // The dates of small messages: an amount of 1500 at 12.5e9/s lasts 120 ns.
  constexpr double picosecond = 1e-12;
  for (double amount = 1500; amount < 1e6; amount *= 2) {
    const double begun = kernel().now();
    start(amount, {{add_resource(12.5e9), 1}}, {});
    kernel().run();
    EXPECT_NEAR(kernel().now() - begun, amount / 12.5e9, picosecond);
  }
}

/// Can a machine be slower because a part of it is faster? A transfer of 1 unit over a link is
/// followed by 10 s of something else: the critical chain. Beside it somebody does 1 unit of work
/// elsewhere, and then sends 1 unit over the same link.
class SharingAnomaly : public KernelTest {
 protected:
  /// Time until all is done, with this many units per second elsewhere.
  double end_with(double elsewhere) {
    const int link = add_resource(1), other = add_resource(elsewhere);
    start(1, {{link, 1}}, call([this] { kernel().after(10, log("end of the chain")); }));
    start(1, {{other, 1}}, call([this, link] { start(1, {{link, 1}}, log("sent")); }));
    kernel().run();
    return kernel().now();
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, SharingAnomaly,
                         testing::ValuesIn(kernel_names().begin(), kernel_names().end()),
                         kernel_of_test);

TEST_P(SharingAnomaly, flow_limited_elsewhere_leaves_the_link_to_the_chain) {
  // The chain has the link for itself in its only second there.
  EXPECT_DOUBLE_EQ(end_with(1), 1 + 10);
}

TEST_P(SharingAnomaly, flow_2x_faster_elsewhere_shares_the_link_with_the_chain) {
  // From 0.5 s on at half the rate: the other half unit takes 1 s instead of 0.5 s.
  EXPECT_DOUBLE_EQ(end_with(2), 0.5 + 0.5 / 0.5 + 10);
}

TEST_P(SharingAnomaly, earlier_start_doubles_the_lead_at_the_end) {
  // The other one begins at 1. Alone it does `lead`, the rest at half the rate.
  for (const double lead : {0.0, 0.25, 0.5, 1.0}) {
    const double begun = kernel().now();
    const int link = add_resource(1);
    double ended = 0;
    kernel().after(1 - lead, call([&, this, link] {
                     start(1, {{link, 1}}, call([&, this] { ended = kernel().now() - begun; }));
                   }));
    kernel().after(1, call([this, link] { start(1, {{link, 1}}, {}); }));
    kernel().run();
    EXPECT_DOUBLE_EQ(ended, 1 + (1 - lead) / 0.5);
    EXPECT_DOUBLE_EQ(kernel().now() - begun, 3 - lead);
  }
}

}  // namespace
}  // namespace ringscope::sim::kernel_sharing_test
