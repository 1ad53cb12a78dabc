// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/recorder.hpp"

#include <utility>

namespace ringscope::sim {

int LoadRecord::add_resource(const std::string& name, double capacity) {
  curves_.emplace_back();
  return inner_->add_resource(name, capacity);
}

void LoadRecord::set_capacity(int resource, double capacity) {
  note(resource);
  inner_->set_capacity(resource, capacity);
}

void LoadRecord::restart() {
  start_ = now();
  for (std::size_t resource = 0; resource < curves_.size(); ++resource)
    curves_[resource] = {inner_->used(static_cast<int>(resource)), {}};
}

std::vector<LoadCurve::Point> LoadRecord::points(int resource) const {
  const Curve& curve = curves_[resource];
  std::vector<LoadCurve::Point> points = curve.points;
  for (LoadCurve::Point& point : points) {
    point.at -= start_;
    point.used -= curve.before;
  }
  return points;
}

// At one instant the curve has one point: what was used up to it does not depend on what begins or
// ends there.
void LoadRecord::note(int resource) {
  auto& points = curves_[resource].points;
  if (points.empty() || points.back().at != now()) points.push_back({now(), used(resource)});
}

void LoadRecord::note(ActivityId activity) {
  for (const int resource : activities_[number_of_[activity.slot]].resources) note(resource);
}

ActivityId LoadRecord::start(double amount, std::span<const Use> uses, Callback done) {
  const int id = activities_.take();
  Activity& started = activities_[id];
  started.done = done;
  started.resources.clear();
  for (const Use& use : uses) {
    note(use.resource);
    started.resources.push_back(use.resource);
  }
  const ActivityId activity = inner_->start(
      amount, uses, Callback::to<&LoadRecord::ended>(this, static_cast<std::uint64_t>(id)));
  number_of_.grown(activity.slot) = id;
  return activity;
}

void LoadRecord::cancel(ActivityId activity) {
  inner_->cancel(activity);
  note(activity);
  activities_.release(number_of_[activity.slot]);
}

void LoadRecord::ended(std::uint64_t id) {
  const Activity& started = activities_[id];
  for (const int resource : started.resources) note(resource);
  const Callback done = started.done;  // the slot is free for reuse when it is called
  activities_.release(static_cast<int>(id));
  done();
}

Recorder::Recorder(std::unique_ptr<Kernel> kernel)
    : kernel_(std::make_unique<LoadRecord>(std::move(kernel))),
      loads_(kernel_.get()),
      chunks_(*loads_) {}

void Recorder::restart(const Job& job, int ranks) {
  loads_->restart();
  const Collective& collective = collective_of(*job.algorithm);
  no_chunks_ = no_chunks_of(collective, ranks);
  follows_chunks_ = no_chunks_.empty();
  if (follows_chunks_)
    chunks_.restart(collective, ranks, static_cast<std::size_t>(job.bytes.count), job.options.root);
}

std::shared_ptr<const Recording> Recorder::take(const Ledger& ledger) {
  auto recording = std::make_shared<Recording>();
  for (int id = 0; id < ledger.resource_count(); ++id) {
    const Resource& resource = ledger.resource(id);
    recording->loads.push_back({resource.id, resource.kind, resource.capacity, loads_->points(id)});
  }
  recording->no_chunks = no_chunks_;
  if (follows_chunks_) recording->chunks = chunks_.take();
  return recording;
}

}  // namespace ringscope::sim
