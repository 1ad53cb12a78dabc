// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/machine/ledger.hpp"

namespace ringscope::sim {

int Ledger::add(Resource resource) {
  if (resource.id == speedup_.resource) resource.capacity *= speedup_.capacity;
  const int id = kernel_->add_resource(resource.id.name(), resource.capacity);
  accounts_.emplace_back().capacity = resource.capacity;
  busy_.emplace_back();
  resources_.push_back(std::move(resource));
  return id;
}

int Ledger::start(double amount, std::span<const Use> uses, Callback done) {
  if (free_.empty()) {
    free_.push_back(static_cast<int>(activities_.size()));
    activities_.emplace_back();
  }
  const int id = free_.back();
  free_.pop_back();
  ++flowing_;
  if (later_.has(id)) later_[id] = {};
  Activity& activity = activities_[id];
  activity.amount = amount;
  activity.paused = false;
  activity.done = done;
  activity.moved_before = 0;
  activity.opened = now();
  activity.parts.resize(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    activity.parts[i] = {uses[i], 0, served(uses[i].resource)};
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    auto& active = accounts_[uses[i].resource].active;
    activity.parts[i].position = static_cast<int>(active.size());
    active.push_back({id, static_cast<int>(i)});
  }
  activity.id = kernel_->start(
      amount, uses, Callback::to<&Ledger::on_done>(this, static_cast<std::uint64_t>(id)));
  return id;
}

double Ledger::moved(const Activity& activity) const {
  // An activity that has just completed is no longer known to the kernel.
  return activity.id ? activity.amount - kernel_->remaining(activity.id) : activity.amount;
}

double Ledger::carried(int id) const {
  const Account& account = accounts_[id];
  double carried = account.used;
  for (const auto& [number, part] : account.active) {
    const Activity& activity = activities_[number];
    carried += activity.parts[part].use.weight * moved(activity);
  }
  return carried;
}

double Ledger::served(int id) const {
  const Account& account = accounts_[id];
  if (account.active.empty()) return account.used;
  if (account.served.at != now()) account.served = {now(), kernel_->used(id) + account.skipped};
  return account.served.value;
}

bool Ledger::busy(int id) const {
  // Share of the capacity, on average: below, nothing has to wait. Less a rounding, which must not
  // decide.
  constexpr double least = 0.9 * (1 - 1e-9);
  Found<bool>& found = busy_[id];
  if (found.at == now()) return found.value;
  const Account& account = accounts_[id];
  double rate = 0;
  for (const auto& [number, part] : account.active) {
    const Activity& activity = activities_[number];
    const double elapsed = now() - activity.opened;
    if (activity.paused || elapsed <= 0) continue;
    const int weight = activity.parts[part].use.weight;
    rate += weight * (moved(activity) - activity.moved_before) / elapsed;
  }
  busy_at_ = now();
  found = {now(), rate >= least * account.capacity};
  return found.value;
}

void Ledger::no_longer_flows(const Activity& activity) {
  if (busy_at_ != now()) return;
  for (const Part& part : activity.parts) busy_[part.use.resource].at = -1;
}

void Ledger::passes_again(int activity, std::span<const SecondUse> uses, std::size_t skipped) {
  if (uses.empty()) return;
  later_.grown(activity) = {uses, skipped};
}

bool Ledger::passes_busy(const Activity& activity, const Part* until) const {
  return std::any_of(activity.parts.data(), until, [this](const Part& part) {
    return resource(part.use.resource).kind == ResourceKind::link && busy(part.use.resource);
  });
}

double Ledger::queued(int id, double most_each) const {
  const Account& account = accounts_[id];
  if (account.active.empty() || !busy(id)) return 0;
  double waiting = 0;
  for (const auto& [number, part] : account.active) {
    const Activity& activity = activities_[number];
    if (activity.paused || now() <= activity.opened) continue;
    const Part* const first = activity.parts.data();
    int weight = first[part].use.weight, waits = 0;
    if (later_.has(number)) {
      const auto& [uses, skipped] = later_[number];
      for (const SecondUse& again : uses) {
        if (again.use.resource != id) continue;
        weight -= again.use.weight;
        if (!passes_busy(activity, first + skipped + again.before)) waits += again.use.weight;
      }
    }
    if (!passes_busy(activity, first + part)) waits += weight;
    waiting += waits * std::min(most_each, activity.amount - moved(activity));
  }
  return waiting;
}

void Ledger::open_window(Activity& activity) {
  activity.opened = now();
  activity.moved_before = moved(activity);
  for (Part& part : activity.parts) part.served_before = served(part.use.resource);
}

void Ledger::close_window(const Activity& activity, double moved) {
  constexpr double tolerance = 1e-6;
  const double elapsed = now() - activity.opened, mine = moved - activity.moved_before;
  window_start_ = activity.opened;
  bottleneck_ = -1;
  if (elapsed <= 0) return;
  double most = 0, most_own = 0;
  for (const Part& part : activity.parts) {
    const Account& account = accounts_[part.use.resource];
    const double possible = account.capacity * elapsed;
    const double own = part.use.weight * mine / possible;
    // An activity that fills a resource by itself need not look at the others.
    const double all =
        own > 1 - tolerance ? own : (served(part.use.resource) - part.served_before) / possible;
    const bool tie = std::abs(all - most) <= tolerance;
    if (bottleneck_ < 0 || (tie ? own > most_own + tolerance : all > most)) {
      bottleneck_ = part.use.resource;
      most = all;
      most_own = own;
    }
  }
}

void Ledger::release(int id, double moved) {
  Activity& activity = activities_[id];
  no_longer_flows(activity);
  for (const Part& part : activity.parts) {
    Account& account = accounts_[part.use.resource];
    account.used += part.use.weight * moved;
    const auto [last, last_part] = account.active.back();
    account.active.pop_back();
    if (part.position == std::ssize(account.active)) continue;
    account.active[part.position] = {last, last_part};
    activities_[last].parts[last_part].position = part.position;
  }
  if (!activity.paused) --flowing_;
  activity.done = {};
  free_.push_back(id);
}

void Ledger::on_done(std::uint64_t id) {
  Activity& ended = activities_[id];
  const Callback done = ended.done;  // the slot is free for reuse when it is called
  ended.id = {};
  close_window(ended, ended.amount);
  release(static_cast<int>(id), ended.amount);
  done();
}

void Ledger::pause(int activity) {
  Activity& paused = activities_[activity];
  close_window(paused, moved(paused));
  paused.paused = true;
  --flowing_;
  no_longer_flows(paused);
  kernel_->suspend(paused.id);
}

void Ledger::resume(int activity) {
  Activity& resumed = activities_[activity];
  kernel_->resume(resumed.id);
  resumed.paused = false;
  ++flowing_;
  open_window(resumed);
}

double Ledger::stop(int activity) {
  Activity& stopped = activities_[activity];
  const double done = moved(stopped);
  if (!stopped.paused) close_window(stopped, done);
  kernel_->cancel(stopped.id);
  release(activity, done);
  return done;
}

std::vector<Agenda::Entry> Ledger::agenda() const {
  std::vector<Agenda::Entry> all;
  for (const Kernel::Alarm& timer : kernel_->timers()) {
    all.push_back({timer.callback, timer.in, 0});
  }
  for (const Activity& activity : activities_)
    if (activity.done.function != nullptr)
      all.push_back({activity.done, activity.amount - moved(activity), activity.paused ? 2u : 1u});
  return all;
}

// Findings about an instant do not hold at another instant of the same date.
void Ledger::forget_instant() {
  busy_at_ = -1;
  for (Account& account : accounts_) account.served.at = -1;
  for (Found<bool>& found : busy_) found.at = -1;
}

void Ledger::rewind() {
  kernel_->rewind();
  forget_instant();
  for (Account& account : accounts_) account.used = account.skipped = 0;
}

void Ledger::use(int id, double units) {
  Account& account = accounts_[id];
  account.used += units;
  account.skipped += units;
  account.served.at = -1;
}

void Ledger::skip(double seconds, View<const double> used) {
  forget_instant();
  for (std::size_t id = 0; id < used.size(); ++id) {
    accounts_[id].used += used[id];
    accounts_[id].skipped += used[id];
  }
  for (Activity& activity : activities_) {
    activity.opened += seconds;
    for (Part& part : activity.parts) part.served_before += used[part.use.resource];
  }
  window_start_ += seconds;
}

}  // namespace ringscope::sim
