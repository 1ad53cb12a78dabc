// SPDX-License-Identifier: LGPL-2.1-or-later
// Do works that nobody holds back need no solver, and have the same times?
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/kernel/shared_work.hpp"

namespace ringscope::sim::lone_work_test {
namespace {

/// Four works of 2 units/s over one wide resource, each behind a narrow one of its own.
class FourWorks {
 public:
  explicit FourWorks(double capacity) : wide_(work.add_resource(capacity)) {
    for (int id = 0; id < 4; ++id) begin(id, 2);
    work.solve();
  }
  void begin(int id, double most) {
    const Use uses[] = {{work.add_resource(most), 1}, {wide_, 1}};
    work.set(id, 100, uses);
    work.join(id);
  }
  double used() const { return work.used(wide_); }
  double now = 0;
  SharedWork<MaxMin> work{&now};

 private:
  int wide_;
};

TEST(LoneWork, works_that_fit_need_no_solver) {
  FourWorks fits(4 * 2);
  EXPECT_EQ(fits.work.rates().operations(), 0u);
  fits.now = 3;
  EXPECT_EQ(fits.work.left(0), 100 - 2 * 3);
  EXPECT_EQ(fits.used(), 4 * 2 * 3);
  EXPECT_EQ(fits.work.next_date(), 100.0 / 2);
}

TEST(LoneWork, works_that_do_not_fit_share) {
  FourWorks exceeds(4 * 2 - 1);
  EXPECT_GT(exceeds.work.rates().operations(), 0u);
  EXPECT_EQ(exceeds.work.next_date(), 100 / (7.0 / 4));
}

TEST(LoneWork, all_works_of_a_resource_share_as_soon_as_one_more_does_not_fit) {
  FourWorks fits(9);
  fits.now = 3;
  fits.begin(4, 50);
  fits.work.solve();
  fits.now = 5;
  EXPECT_DOUBLE_EQ(fits.work.left(0), 100 - 2 * 3 - 9.0 / 5 * 2);
  EXPECT_DOUBLE_EQ(fits.work.left(4), 100 - 9.0 / 5 * 2);
  EXPECT_DOUBLE_EQ(fits.used(), 4 * 2 * 3 + 9 * 2);
}

/// A program on a kernel: works that begin, pause and go on, and capacities that change, at random.
class RandomProgram {
 public:
  /// Capacities go up to `highest` times the first ones.
  RandomProgram(std::string_view kernel_name, unsigned seed, double highest)
      : kernel_(make_kernel(kernel_name)), random_(seed), highest_(highest) {
    for (int i = 0; i < wide + narrow; ++i)
      capacities_.push_back(i < wide ? 40 + below(40) : 1 + below(16));
    for (const double capacity : capacities_) kernel_->add_resource("resource", capacity);
    for (int id = 0; id < works; ++id) {
      uses_.push_back({{below(wide), 1 + below(2)}, {wide + below(narrow), 1}});
      amounts_.push_back(1 + below(100));
      at_some_date<&RandomProgram::begin>(id);
    }
    for (int i = 0; i < 60; ++i) at_some_date<&RandomProgram::pause>(below(works));
    for (int i = 0; i < 60; ++i) at_some_date<&RandomProgram::change>(below(wide + narrow));
    kernel_->run();
  }
  /// By work; then what was used of each resource when it changed, summed up.
  Table<double> ends = Table<double>(works + 1);

 private:
  static constexpr int wide = 3, narrow = 10, works = 200;
  enum class State { none, runs, paused };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <auto what>
  void at_some_date(int argument) {
    const auto value = static_cast<std::uint64_t>(argument);
    kernel_->after(below(400) / 4.0, Callback::to<what>(this, value));
  }
  void begin(std::uint64_t id) {
    states_[id] = State::runs;
    ids_[id] = kernel_->start(amounts_[id], uses_[id], Callback::to<&RandomProgram::end>(this, id));
  }
  void pause(std::uint64_t id) {
    if (states_[id] != State::runs) return;
    states_[id] = State::paused;
    kernel_->suspend(ids_[id]);
    kernel_->after(2, Callback::to<&RandomProgram::go_on>(this, id));
  }
  void go_on(std::uint64_t id) {
    states_[id] = State::runs;
    kernel_->resume(ids_[id]);
  }
  void change(std::uint64_t resource) {
    const double share = highest_ * (1 + below(8)) / 8;
    ends[works] += kernel_->used(static_cast<int>(resource));
    kernel_->set_capacity(static_cast<int>(resource), share * capacities_[resource]);
  }
  void end(std::uint64_t id) {
    states_[id] = State::none;
    ends[id] = kernel_->now();
  }

  std::unique_ptr<Kernel> kernel_;
  std::mt19937 random_;
  double highest_;
  Table<double> capacities_, amounts_;
  Table<std::vector<Use>> uses_;
  Table<ActivityId> ids_ = Table<ActivityId>(works);
  Table<State> states_ = Table<State>(works);
};

TEST(LoneWork, random_works_end_as_on_the_reference_kernel_while_capacities_change) {
  for (const double highest : {1.0, 3.0})
    for (unsigned seed = 0; seed < 20; ++seed) {
      const RandomProgram fluid("fluid", seed, highest), reference("reference", seed, highest);
      for (std::size_t i = 0; i < fluid.ends.size(); ++i)
        EXPECT_NEAR(fluid.ends[i], reference.ends[i], 1e-12 * reference.ends[i])
            << i << ", seed " << seed;
    }
}

}  // namespace
}  // namespace ringscope::sim::lone_work_test
