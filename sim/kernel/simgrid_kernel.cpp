// SimGrid 3.32, driven from the maestro: activities only, no actors.
//
// An activity is a Comm between two dummy hosts whose route is whatever list of links the activity
// brings along: SimGrid asks the zone for the route synchronously inside start(). A link that
// stands k times in a route is consumed k times per unit, which is how weights are expressed.
//
// A started Comm is handled through its Action: in 3.32 a Comm can be suspended only once (resume()
// forgets to note that it runs again), and one that is cancelled and dropped is used after it was
// freed.
#include "sim/kernel/simgrid_kernel.hpp"

#include <fmt/core.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cassert>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ringscope::sim {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::resource::Action;
using simgrid::kernel::resource::Model;
using simgrid::kernel::resource::StandardLinkImpl;
using simgrid::kernel::routing::NetPoint;
using simgrid::kernel::routing::NetZoneImpl;
using simgrid::kernel::routing::Route;
using simgrid::kernel::timer::Timer;

/// A zone in which every route asked for is the one that was laid out last.
class OneRouteZone final : public NetZoneImpl {
 public:
  explicit OneRouteZone(const char* name) : NetZoneImpl(name) {}
  std::vector<StandardLinkImpl*>& route() { return route_; }

 private:
  void get_local_route(const NetPoint*, const NetPoint*, Route* into, double*) override {
    into->link_list_.insert(into->link_list_.end(), route_.begin(), route_.end());
  }
  void get_graph(const s_xbt_graph_t*, std::map<std::string, xbt_node_t, std::less<>>*,
                 std::map<std::string, xbt_edge_t, std::less<>>*) override {}

  std::vector<StandardLinkImpl*> route_;
};

class SimGridKernel final : public Kernel {
 public:
  SimGridKernel();
  ~SimGridKernel() override;

  std::string_view name() const override { return "simgrid"; }
  int add_resource(const std::string& name, double capacity) override;
  void set_capacity(int resource, double capacity) override;
  ActivityId start(double amount, std::span<const Use> uses, Callback done) override;
  double remaining(ActivityId) const override;
  void suspend(ActivityId) override;
  void resume(ActivityId) override;
  void cancel(ActivityId) override;
  void after(double delay, Callback callback) override;
  void run() override;

 private:
  struct Slot {
    s4u::CommPtr comm;         ///< SimGrid's activity, kept until its end is delivered
    Action* action = nullptr;  ///< what it does; none when nothing is left to do
    Callback done;
    std::uint64_t order = 0;  ///< of its start, for the order of completions
    bool suspended = false;
    bool held = false;  ///< completed while suspended: resume() delivers it
  };

  static std::size_t index(ActivityId id) { return static_cast<std::size_t>(id.slot); }
  static bool runs(const Slot& slot) {
    return slot.action != nullptr && slot.action->get_state() == Action::State::STARTED;
  }
  ActivityId take_slot();
  void on_completion(const s4u::Activity& activity);
  void deliver_completed();
  void deliver_soon(int slot);
  void deliver(std::uint64_t slot);
  void free_slot(int slot);
  void run_due(double date);
  void read_clock() { now_ = s4u::Engine::get_clock(); }

  // SimGrid's completion signal is one per process; it finds the kernel here.
  static inline SimGridKernel* current = nullptr;

  s4u::Engine engine_;
  OneRouteZone* root_;
  std::unique_ptr<OneRouteZone> links_zone_;
  Model* model_ = nullptr;  ///< SimGrid's, of the network
  s4u::Host* from_;
  s4u::Host* to_;
  std::vector<s4u::Link*> links_;
  std::vector<Slot> slots_;
  std::vector<int> free_slots_;
  std::vector<int> completed_;                   ///< in this instant, not yet delivered
  std::map<double, std::vector<Callback>> due_;  ///< one SimGrid timer per date
  std::uint64_t started_ = 0;
};

s4u::Engine configured_engine() {
  // SimGrid logs to stderr by default.
  int argc = 2;
  char program[] = "ringscope", quiet[] = "--log=root.thresh:critical";
  char* argv[] = {program, quiet, nullptr};
  return s4u::Engine(&argc, argv);
}

SimGridKernel::SimGridKernel() : engine_(configured_engine()) {
  current = this;
  // Every factor of SimGrid's models set to what the closed forms assume: no latency or bandwidth
  // correction, no reverse traffic, no window limit. Precisions: SimGrid's defaults are 1e-5
  // seconds and 1e-5 of a rate, far too coarse for microseconds.
  for (const char* setting :
       {"network/model:CM02", "network/optim:Lazy", "network/latency-factor:1",
        "network/bandwidth-factor:1", "network/weight-S:0", "network/TCP-gamma:0",
        "network/crosstraffic:0", "surf/precision:1e-12", "maxmin/precision:1e-12"})
    s4u::Engine::set_config(setting);
  root_ = new OneRouteZone("root");  // the engine's from now on
  from_ = root_->get_iface()->create_host("from", 1.0);
  to_ = root_->get_iface()->create_host("to", 1.0);
  // The root is sealed when the simulation begins. A zone apart takes links at any time.
  links_zone_ = std::make_unique<OneRouteZone>("links");
  links_zone_->set_network_model(root_->get_network_model());
  for (Model* model : engine_.get_all_models())
    if (model->get_name() == "Network_CM02") model_ = model;
  assert(model_ != nullptr);
  s4u::Activity::on_completion_cb([](const s4u::Activity& activity) {
    if (current != nullptr) current->on_completion(activity);
  });
}

SimGridKernel::~SimGridKernel() {
  current = nullptr;
  // SimGrid complains of activities that are dropped before their end.
  for (Slot& slot : slots_) slot.comm.detach();
}

int SimGridKernel::add_resource(const std::string& name, double capacity) {
  assert(capacity > 0);
  // The number makes the name unique: SimGrid refuses two links of one name.
  s4u::Link* link =
      links_zone_->get_iface()->create_link(fmt::format("{}#{}", name, links_.size()), capacity);
  link->set_latency(0.0)->seal();
  links_.push_back(link);
  return static_cast<int>(links_.size()) - 1;
}

void SimGridKernel::set_capacity(int resource, double capacity) {
  assert(capacity > 0);
  links_[static_cast<std::size_t>(resource)]->set_bandwidth(capacity);
}

ActivityId SimGridKernel::take_slot() {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<int>(slots_.size()));
    slots_.emplace_back();
  }
  const ActivityId id{free_slots_.back()};
  free_slots_.pop_back();
  return id;
}

ActivityId SimGridKernel::start(double amount, std::span<const Use> uses, Callback done) {
  assert(amount >= 0);
  const ActivityId id = take_slot();
  Slot& slot = slots_[index(id)];
  slot.done = done;
  slot.order = started_++;
  if (amount == 0 || uses.empty()) {
    deliver_soon(id.slot);
    return id;
  }
  auto& route = root_->route();
  route.clear();
  for (const Use& use : uses) {
    assert(use.weight > 0);
    route.insert(route.end(), static_cast<std::size_t>(use.weight),
                 links_[static_cast<std::size_t>(use.resource)]->get_impl());
  }
  slot.comm = s4u::Comm::sendto_init(from_, to_);
  slot.comm->set_payload_size(1);  // SimGrid takes whole numbers here; the amount follows
  slot.comm->set_data(reinterpret_cast<void*>(static_cast<std::intptr_t>(id.slot)));
  slot.comm->vetoable_start();
  slot.action = &model_->get_started_action_set()->back();
  slot.action->set_cost(amount);
  slot.action->set_remains(amount);
  // SimGrid limits a rate to what the route has now; capacities may grow.
  slot.action->set_bound(-1);
  return id;
}

double SimGridKernel::remaining(ActivityId id) const {
  const Slot& slot = slots_[index(id)];
  return slot.action != nullptr ? slot.action->get_remains() : 0.0;
}

void SimGridKernel::suspend(ActivityId id) {
  Slot& slot = slots_[index(id)];
  assert(!slot.suspended);
  slot.suspended = true;
  if (runs(slot)) slot.action->suspend();
}

void SimGridKernel::resume(ActivityId id) {
  Slot& slot = slots_[index(id)];
  assert(slot.suspended);
  slot.suspended = false;
  if (runs(slot)) slot.action->resume();
  if (std::exchange(slot.held, false)) deliver_soon(id.slot);
}

// Ends the activity at this instant, with nobody to be told.
void SimGridKernel::cancel(ActivityId id) {
  Slot& slot = slots_[index(id)];
  slot.done = {};
  if (runs(slot)) {
    if (!slot.suspended) slot.action->suspend();
    slot.action->finish(Action::State::FINISHED);
  }
  slot.suspended = false;
  if (slot.held) free_slot(id.slot);
}

void SimGridKernel::deliver_soon(int slot) {
  after(0, Callback::to<&SimGridKernel::deliver>(this, static_cast<std::uint64_t>(slot)));
}

void SimGridKernel::deliver(std::uint64_t slot) {
  if (slots_[slot].suspended) {
    slots_[slot].held = true;
    return;
  }
  const Callback done = slots_[slot].done;
  free_slot(static_cast<int>(slot));
  if (done.function != nullptr) done();
}

void SimGridKernel::on_completion(const s4u::Activity& activity) {
  const auto slot = reinterpret_cast<std::intptr_t>(activity.get_data<void>());
  // SimGrid completes the activities of one instant in the order of its heap, and only then looks
  // at timers again: a timer for now sees all of them, and delivers them in the order of start.
  if (completed_.empty()) Timer::set(s4u::Engine::get_clock(), [this] { deliver_completed(); });
  completed_.push_back(static_cast<int>(slot));
  slots_[static_cast<std::size_t>(slot)].action = nullptr;
}

void SimGridKernel::deliver_completed() {
  read_clock();
  std::vector<int> completed;
  completed.swap(completed_);
  std::sort(completed.begin(), completed.end(), [this](int a, int b) {
    return slots_[static_cast<std::size_t>(a)].order < slots_[static_cast<std::size_t>(b)].order;
  });
  for (const int slot : completed) deliver(static_cast<std::uint64_t>(slot));
}

void SimGridKernel::free_slot(int slot) {
  slots_[static_cast<std::size_t>(slot)] = {};
  free_slots_.push_back(slot);
}

void SimGridKernel::after(double delay, Callback callback) {
  assert(delay >= 0);
  const double date = now() + delay;
  const auto [place, is_new] = due_.try_emplace(date);
  place->second.push_back(callback);
  if (is_new) Timer::set(date, [this, date] { run_due(date); });
}

void SimGridKernel::run_due(double date) {
  read_clock();
  const auto due = due_.extract(date);
  for (const Callback& callback : due.mapped()) callback();
}

void SimGridKernel::run() {
  engine_.run();
  read_clock();
}

}  // namespace

std::unique_ptr<Kernel> make_simgrid_kernel() {
  static bool made = false;  // SimGrid's settings outlive its engine and cannot be set again
  if (std::exchange(made, true)) throw std::logic_error("SimGrid's engine exists once per process");
  return std::make_unique<SimGridKernel>();
}

}  // namespace ringscope::sim
