// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a tolerance move dates by no more than it says, and keep what is alike alike?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim::tolerance_test {
namespace {

/// Works begun at dates of their own, and the dates of their ends.
class Runs {
 public:
  explicit Runs(double tolerance) : kernel_(make_kernel("fluid", tolerance)) {}

  Kernel& kernel() { return *kernel_; }
  int add_resource(double capacity) { return kernel_->add_resource("resource", capacity); }
  void add(double begin, double amount, std::vector<Use> uses) {
    works_.push_back({this, begin, amount, std::move(uses)});
    kernel_->after(begin, Callback::to<&Work::start>(&works_.back()));
  }
  void run() { kernel_->run(); }
  double begin(std::size_t work) const { return works_[work].begin; }
  double end(std::size_t work) const { return works_[work].end; }
  std::size_t count() const { return works_.size(); }

 private:
  struct Work {
    Runs* runs;
    double begin, amount;
    std::vector<Use> uses;
    double end = -1;
    void start(std::uint64_t) {
      runs->kernel_->start(amount, uses, Callback::to<&Work::ended>(this));
    }
    void ended(std::uint64_t) { end = runs->kernel_->now(); }
  };
  std::unique_ptr<Kernel> kernel_;
  std::deque<Work> works_;  // a deque: callbacks point into it
};

TEST(Tolerance, ends_that_are_close_for_their_age_happen_together) {
  Runs runs(1e-3);
  for (const double amount : {1000.0, 1000.5, 1002.0})
    runs.add(0, amount, {{runs.add_resource(1), 1}});
  runs.run();
  EXPECT_EQ(runs.end(0), 1000);
  EXPECT_EQ(runs.end(1), 1000);  // 0.5 s early, of a tolerated 1 s
  EXPECT_EQ(runs.end(2), 1002);
}

TEST(Tolerance, works_that_begin_together_on_an_idle_resource_end_together) {
  Runs runs(1e-2);
  const int link = runs.add_resource(16);
  for (int i = 0; i < 8; ++i) runs.add(3, 100, {{link, 1}});
  runs.run();
  for (std::size_t i = 0; i < 8; ++i) EXPECT_DOUBLE_EQ(runs.end(i), 3 + 8 * 100.0 / 16);
}

TEST(Tolerance, a_work_that_joins_others_late_has_moved_all_the_same) {
  Runs runs(1e-2);
  const int link = runs.add_resource(1);
  runs.add(0, 1000, {{link, 1}});
  runs.add(10, 100, {{link, 1}});
  runs.run();
  EXPECT_NEAR(runs.end(1), 10 + 200, 1e-2 * 200);  // two share the link
  EXPECT_NEAR(runs.end(0), 1100, 1e-2 * 1100);
}

class CapacityChange {
 public:
  CapacityChange(Kernel& kernel, int resource) : kernel_(&kernel), resource_(resource) {
    kernel.after(50, Callback::to<&CapacityChange::happen>(this));
  }
  void happen(std::uint64_t) { kernel_->set_capacity(resource_, 2); }

 private:
  Kernel* kernel_;
  int resource_;
};

TEST(Tolerance, a_change_of_capacity_is_followed_at_once) {
  Runs runs(1e-2);
  const int link = runs.add_resource(1);
  runs.add(0, 100, {{link, 1}});
  CapacityChange change(runs.kernel(), link);
  runs.run();
  EXPECT_DOUBLE_EQ(runs.end(0), 75);  // 50 at a rate of 1, 50 at a rate of 2
}

void add_random_works(Runs& runs, std::uint64_t seed, std::vector<double>& used) {
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  constexpr int resources = 24;
  used.assign(resources, 0);
  for (int i = 0; i < resources; ++i) runs.add_resource(between(1, 4));
  for (int i = 0; i < 1500; ++i) {
    const int from = static_cast<int>(random() % resources);
    const int to = (from + 1 + static_cast<int>(random() % (resources - 1))) % resources;
    const double begin = between(0, 100), amount = between(1, 20);
    runs.add(begin, amount, {{from, 1}, {to, 1}});
    used[static_cast<std::size_t>(from)] += amount;
    used[static_cast<std::size_t>(to)] += amount;
  }
}

// Begins and ends may both be wrong, so twice the share for the whole. Single works wait for what
// others leave by their ages, not by their own, and sharing magnifies: some shares of the whole.
TEST(Tolerance, thousands_of_works_take_the_time_of_the_exact_kernel_within_twice_the_share) {
  for (const double tolerance : {1e-4, 1e-3, 1e-2}) {
    Runs exact(0), close(tolerance);
    std::vector<double> used;
    add_random_works(exact, 7, used);
    add_random_works(close, 7, used);
    exact.run();
    close.run();
    double whole = 0, close_whole = 0, wrong = 0;
    for (std::size_t i = 0; i < exact.count(); ++i) {
      whole = std::max(whole, exact.end(i));
      close_whole = std::max(close_whole, close.end(i));
      wrong = std::max(wrong, std::abs(close.end(i) - exact.end(i)));
    }
    EXPECT_GT(wrong, 0);
    EXPECT_NEAR(close_whole, whole, 2 * tolerance * whole);
    EXPECT_LT(wrong, 5 * tolerance * whole);
    for (int r = 0; r < static_cast<int>(used.size()); ++r)
      EXPECT_NEAR(close.kernel().used(r), used[static_cast<std::size_t>(r)], 1e-6);
  }
}

TEST(Tolerance, only_the_fluid_kernel_takes_one) {
  EXPECT_THROW(make_kernel("reference", 1e-3), std::invalid_argument);
  EXPECT_EQ(make_kernel("reference", 0)->name(), "reference");
}

}  // namespace
}  // namespace ringscope::sim::tolerance_test
