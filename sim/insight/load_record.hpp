// SPDX-License-Identifier: LGPL-2.1-or-later
// A kernel that notes what passes through it: how much of each resource has been used by when.
//
// Whenever an activity starts, stops or ends, the curves of its resources get a point. Between two
// points rates may change because of activities elsewhere: the curve then shows their mean, so that
// what it adds up to is exact.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/pool.hpp"
#include "base/table.hpp"
#include "scenarios/answer/recording.hpp"
#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

class LoadRecord final : public Kernel {
 public:
  explicit LoadRecord(std::unique_ptr<Kernel> inner)
      : Kernel(inner->clock()), inner_(std::move(inner)) {}

  /// Curves begin anew, at this instant.
  void restart();
  /// The points of a resource since restart(), times and units counted from it.
  std::vector<LoadCurve::Point> points(int resource) const;

  std::string_view name() const override { return inner_->name(); }
  int add_resource(const std::string& name, double capacity) override;
  void set_capacity(int resource, double capacity) override;
  ActivityId start(double amount, std::span<const Use> uses, Callback done) override;
  double remaining(ActivityId activity) const override { return inner_->remaining(activity); }
  double used(int resource) const override { return inner_->used(resource); }
  void suspend(ActivityId activity) override {
    note(activity);
    inner_->suspend(activity);
  }
  void resume(ActivityId activity) override {
    note(activity);
    inner_->resume(activity);
  }
  void cancel(ActivityId activity) override;
  void after(double delay, Callback callback) override { inner_->after(delay, callback); }
  void run() override { inner_->run(); }
  void rewind() override { inner_->rewind(); }
  void every_so_often(Callback callback) override { inner_->every_so_often(callback); }

 private:
  struct Activity {
    Callback done;
    std::vector<int> resources;
  };
  struct Curve {
    double before = 0;  ///< units used when it began
    std::vector<LoadCurve::Point> points;
  };

  void note(int resource);
  void note(ActivityId activity);
  void ended(std::uint64_t started);

  std::unique_ptr<Kernel> inner_;
  Table<Curve> curves_;  ///< by resource
  Pool<Activity> activities_;
  Table<int> number_of_;  ///< by the slot of its activity
  double start_ = 0;
};

}  // namespace ringscope::sim
