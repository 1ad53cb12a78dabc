// SPDX-License-Identifier: LGPL-2.1-or-later
// A kernel under test, callbacks from lambdas, and a log of what was called when.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// One kernel of the given name for each test.
class KernelTest : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { kernel_ = make_kernel(GetParam()); }

  Kernel& kernel() { return *kernel_; }
  int add_resource(double capacity) { return kernel().add_resource("resource", capacity); }
  ActivityId start(double amount, std::vector<Use> uses, Callback done) {
    return kernel().start(amount, uses, done);
  }

  /// A callback that runs `what`.
  Callback call(std::function<void()> what) {
    actions_.push_back({std::move(what)});
    return Callback::to<&Action::run>(&actions_.back());
  }
  /// A callback that logs `name` and the time.
  Callback log(std::string name) {
    return call([this, name = std::move(name)] {
      names_.push_back(name);
      times_.push_back(kernel().now());
    });
  }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<double>& times() const { return times_; }
  void forget_log() {
    names_.clear();
    times_.clear();
  }

 private:
  struct Action {
    std::function<void()> what;
    void run(std::uint64_t) { what(); }
  };
  std::unique_ptr<Kernel> kernel_;
  std::deque<Action> actions_;  // a deque: callbacks point into it
  std::vector<std::string> names_;
  std::vector<double> times_;
};

inline std::string kernel_of_test(const testing::TestParamInfo<std::string_view>& info) {
  return std::string(info.param);
}

}  // namespace ringscope::sim
