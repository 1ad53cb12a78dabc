#include "sim/insight/load_record.hpp"

#include <algorithm>

namespace ringscope::sim {

int LoadRecord::add_resource(const std::string& name, double capacity) {
  accounts_.emplace_back();
  return inner_->add_resource(name, capacity);
}

void LoadRecord::set_capacity(int resource, double capacity) {
  note(accounts_[index(resource)]);
  inner_->set_capacity(resource, capacity);
}

void LoadRecord::restart() {
  start_ = now();
  for (Account& account : accounts_) {
    account.before = used(account);
    account.points.clear();
  }
}

std::vector<LoadCurve::Point> LoadRecord::points(int resource) const {
  const Account& account = accounts_[index(resource)];
  std::vector<LoadCurve::Point> points = account.points;
  for (LoadCurve::Point& point : points) {
    point.at -= start_;
    point.used -= account.before;
  }
  return points;
}

double LoadRecord::moved(const Flight& flight) const {
  return flight.activity ? flight.amount - inner_->remaining(flight.activity) : 0;
}

int LoadRecord::weight(const Flight& flight, const Account& account) const {
  const auto resource = static_cast<int>(&account - accounts_.data());
  int weight = 0;
  for (const Use& use : flight.uses)
    if (use.resource == resource) weight += use.weight;
  return weight;
}

double LoadRecord::used(const Account& account) const {
  double sum = account.ended;
  for (const int id : account.active) {
    const Flight& flight = flights_[index(id)];
    sum += weight(flight, account) * moved(flight);
  }
  return sum;
}

// At one instant the curve has one point: what was used up to it does not depend on what begins or
// ends there.
void LoadRecord::note(Account& account) {
  if (!account.points.empty() && account.points.back().at == now()) return;
  account.points.push_back({now(), used(account)});
}

void LoadRecord::note(const Flight& flight) {
  for (const Use& use : flight.uses) note(accounts_[index(use.resource)]);
}

ActivityId LoadRecord::start(double amount, std::span<const Use> uses, Callback done) {
  if (free_.empty()) {
    free_.push_back(static_cast<int>(flights_.size()));
    flights_.emplace_back();
  }
  const int id = free_.back();
  free_.pop_back();
  Flight& flight = flights_[index(id)];
  flight.activity = {};
  flight.amount = amount;
  flight.done = done;
  flight.uses.assign(uses.begin(), uses.end());
  note(flight);
  for (const Use& use : uses) {
    auto& active = accounts_[index(use.resource)].active;
    if (active.empty() || active.back() != id) active.push_back(id);
  }
  flight.activity = inner_->start(
      amount, uses, Callback::to<&LoadRecord::ended>(this, static_cast<std::uint64_t>(id)));
  const std::size_t slot = index(flight.activity.slot);
  if (slot >= flight_of_.size()) flight_of_.resize(slot + 1, -1);
  flight_of_[slot] = id;
  return flight.activity;
}

void LoadRecord::suspend(ActivityId activity) {
  note(flights_[index(flight_of_[index(activity.slot)])]);
  inner_->suspend(activity);
}

void LoadRecord::resume(ActivityId activity) {
  note(flights_[index(flight_of_[index(activity.slot)])]);
  inner_->resume(activity);
}

void LoadRecord::cancel(ActivityId activity) {
  const int id = flight_of_[index(activity.slot)];
  const double done = moved(flights_[index(id)]);
  inner_->cancel(activity);
  release(id, done);
}

void LoadRecord::release(int id, double moved) {
  Flight& flight = flights_[index(id)];
  flight.activity = {};
  for (const Use& use : flight.uses) {
    Account& account = accounts_[index(use.resource)];
    account.ended += use.weight * moved;
    std::erase(account.active, id);
  }
  note(flight);
  free_.push_back(id);
}

void LoadRecord::ended(std::uint64_t id) {
  const Callback done = flights_[id].done;  // the slot is free for reuse when it is called
  release(static_cast<int>(id), flights_[id].amount);
  done();
}

}  // namespace ringscope::sim
