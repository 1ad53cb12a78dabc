// SPDX-License-Identifier: LGPL-2.1-or-later
// SimGrid 3.32, driven from the maestro: its clock goes from instant to instant by its timers, and
// its solver of the network model shares the resources. No actors.
//
// A flow is a Comm without end between two dummy hosts whose route is whatever list of links the
// flow brings along: SimGrid asks the zone for the route synchronously inside start(). A link that
// stands k times in a route is consumed k times per unit, which is how weights are expressed. A
// flow that stops is ended, and begun anew when it goes on: Action::resume() of 3.32 looks for
// those that it slows down on its first link only.
#include "base/table.hpp"
#include "sim/kernel/kernel.hpp"

#include <fmt/core.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include <cmath>
#include <map>
#include <stdexcept>

#include "sim/kernel/max_min.hpp"
#include "sim/kernel/timed_kernel.hpp"

namespace ringscope::sim {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::resource::Action;
using simgrid::kernel::resource::Model;
using simgrid::kernel::resource::StandardLinkImpl;
using simgrid::kernel::routing::NetPoint;
using simgrid::kernel::routing::NetZoneImpl;
using simgrid::kernel::routing::Route;

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

s4u::Engine configured_engine() {
  // SimGrid logs to stderr by default.
  int argc = 2;
  char program[] = "ringscope", quiet[] = "--log=root.thresh:critical";
  char* argv[] = {program, quiet, nullptr};
  return s4u::Engine(&argc, argv);
}

/// The interface of max_min.hpp's class, with SimGrid's rates: a flow is a group of its own.
class SimGridRates {
 public:
  SimGridRates() : engine_(configured_engine()) {
    // Every factor of SimGrid's models set to what the closed forms assume: no latency or bandwidth
    // correction, no reverse traffic, no window limit. Precisions: SimGrid's defaults are 1e-5
    // seconds and 1e-5 of a rate, far too coarse for microseconds.
    for (const char* setting :
         {"network/model:CM02", "network/optim:Lazy", "network/latency-factor:1",
          "network/bandwidth-factor:1", "network/weight-S:0", "network/TCP-gamma:0",
          "network/crosstraffic:0", "surf/precision:0", "maxmin/precision:1e-12"})
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
  }

  ~SimGridRates() {
    forget_ended();
    for (s4u::CommPtr& comm : ended_) comm.detach();
    for (Flow& flow : flows_) flow.comm.detach();
  }

  int add_resource(double capacity) {
    assert(capacity > 0);
    s4u::Link* link =
        links_zone_->get_iface()->create_link(fmt::format("{}", resources_.size()), capacity);
    link->set_latency(0.0)->seal();
    Resource& added = resources_.emplace_back();
    added.link = link;
    added.capacity = capacity;
    return static_cast<int>(resources_.size()) - 1;
  }

  void set_capacity(int resource, double capacity) {
    assert(capacity > 0);
    resources_[resource].capacity = capacity;
    resources_[resource].link->set_bandwidth(capacity);
    note_change(resource);
  }

  void set_uses(int id, std::span<const Use> uses) {
    Flow& flow = flows_.grown(id);
    assert(flow.action == nullptr);
    flow.uses.assign(uses.begin(), uses.end());
  }

  void join(int id) {
    constexpr double endless = 1e300;
    Flow& flow = flows_[id];
    auto& route = root_->route();
    route.clear();
    for (const Use& use : flow.uses) {
      assert(use.weight > 0);
      Resource& resource = resources_[use.resource];
      for (int i = 0; i < use.weight; ++i) route.push_back(resource.link->get_impl());
      resource.users.push_back(id);
      note_change(use.resource);
    }
    flow.comm = s4u::Comm::sendto_init(from_, to_);
    flow.comm->set_payload_size(1);  // SimGrid takes whole numbers here; the amount follows
    flow.comm->vetoable_start();
    flow.action = &model_->get_started_action_set()->back();
    flow.action->set_cost(endless);
    flow.action->set_remains(endless);
    // SimGrid limits a rate to what the route has now; capacities may grow.
    flow.action->set_bound(-1);
    flow.rate = 0;
    flow.told = false;
  }

  void leave(int id) {
    Flow& flow = flows_[id];
    for (const Use& use : flow.uses) {
      auto& users = resources_[use.resource].users;
      users.erase(std::ranges::find(users, id));
      note_change(use.resource);
    }
    flow.action->suspend();
    flow.action->finish(Action::State::FINISHED);
    flow.action = nullptr;
    ended_.push_back(std::move(flow.comm));
  }

  int group(int flow) const { return flow; }
  double rate(int flow) const { return flows_[flow].rate; }
  MaxMin::Changes solve() {
    reported_.clear();
    if (changed_.empty()) return {};
    model_->next_occurring_event(s4u::Engine::get_clock());
    find_connected();
    for (const int id : connected_) {
      Resource& resource = resources_[id];
      resource.found = false;
      resource.left = resource.capacity;
      resource.weight = 0;
    }
    for (const int id : again_) {
      Flow& flow = flows_[id];
      flow.found = false;
      flow.rough = flow.action->get_rate();
      for (const Use& use : flow.uses) resources_[use.resource].weight += use.weight;
    }
    std::ranges::sort(again_, [this](int a, int b) {
      const double first = flows_[a].rough, second = flows_[b].rough;
      return first != second ? first < second : a < b;
    });
    for (const int id : again_) {
      Flow& flow = flows_[id];
      const double before = std::exchange(flow.rate, exact_rate(flow));
      if (flow.rate != before || !flow.told) reported_.push_back(id);
      flow.told = true;
    }
    return {reported_, reported_};
  }

  const std::vector<Use>& uses(int flow) const { return flows_[flow].uses; }
  void visit_groups(int resource, auto visit) const {
    for (const int user : resources_[resource].users)
      for (const Use& use : flows_[user].uses)
        if (use.resource == resource) visit(user, use.weight);
  }

  s4u::Engine& engine() { return engine_; }
  /// Drops activities that SimGrid has seen end; before, they draw its warnings.
  void forget_ended() {
    std::erase_if(ended_, [](const s4u::CommPtr& comm) {
      return comm->get_state() != s4u::Activity::State::STARTED;
    });
  }

 private:
  struct Flow {
    std::vector<Use> uses;
    s4u::CommPtr comm;
    Action* action = nullptr;  ///< null: it does not flow
    double rate = 0;
    bool told = false;  ///< its owner knows this rate
    // While rates are solved:
    bool found = false;
    double rough = 0;  ///< SimGrid's
  };
  struct Resource {
    s4u::Link* link = nullptr;
    double capacity = 0;
    std::vector<int> users;
    bool changed = false;
    // While rates are solved:
    bool found = false;
    Exact left = 0;           ///< of the capacity
    std::int64_t weight = 0;  ///< of the users that have no rate yet
  };

  void note_change(int resource) {
    if (!std::exchange(resources_[resource].changed, true)) changed_.push_back(resource);
  }

  // Finds all that is connected to a resource that has changed.
  void find_connected() {
    connected_.clear();
    again_.clear();
    const auto find = [this](int resource) {
      if (!std::exchange(resources_[resource].found, true)) connected_.push_back(resource);
    };
    for (const int resource : changed_) {
      resources_[resource].changed = false;
      find(resource);
    }
    changed_.clear();
    for (std::size_t i = 0; i < connected_.size(); ++i)
      for (const int user : resources_[connected_[i]].users) {
        Flow& flow = flows_[user];
        if (std::exchange(flow.found, true)) continue;
        again_.push_back(user);
        for (const Use& use : flow.uses) find(use.resource);
      }
  }

  // SimGrid gives the order of the rates. From the slowest on, that fixes each rate: what the
  // narrowest resource has left for those that have none yet. SimGrid's own rates have the rounding
  // of the way by which it came to them; where one is not this to that rounding, it stands, so that
  // the difference shows.
  double exact_rate(const Flow& flow) {
    constexpr double rounding = 1e-9;
    Exact rate = std::numeric_limits<double>::infinity();
    for (const Use& use : flow.uses) {
      const Resource& resource = resources_[use.resource];
      rate = std::min(rate, resource.left / static_cast<double>(resource.weight));
    }
    for (const Use& use : flow.uses) {
      resources_[use.resource].left -= rate * use.weight;
      resources_[use.resource].weight -= use.weight;
    }
    const double nearest = rounded(rate);
    return std::abs(nearest - flow.rough) <= rounding * flow.rough ? nearest : flow.rough;
  }

  s4u::Engine engine_;
  OneRouteZone* root_ = nullptr;
  std::unique_ptr<OneRouteZone> links_zone_;
  Model* model_ = nullptr;  ///< SimGrid's, of the network
  s4u::Host *from_ = nullptr, *to_ = nullptr;
  Table<Resource> resources_;
  Table<Flow> flows_;
  std::vector<int> changed_, connected_, again_, reported_;  ///< the first two: resources
  std::vector<s4u::CommPtr> ended_;
};

class SimGridKernel final : public TimedKernel<SimGridRates> {
 public:
  std::string_view name() const override { return "simgrid"; }
  void run() override {
    set_timer(happen());
    rates().engine().run();
  }

  void rewind() override {
    zero_ = s4u::Engine::get_clock();
    TimedKernel::rewind();
  }

 private:
  void set_timer(double date) {
    if (date == std::numeric_limits<double>::infinity()) return;
    simgrid::kernel::timer::Timer::set(std::max(zero_ + date, s4u::Engine::get_clock()),
                                       [this, date] {
                                         rates().forget_ended();
                                         begin(date);
                                         set_timer(happen());
                                       });
  }

  double zero_ = 0;  ///< SimGrid's clock goes on where ours is put back
};

}  // namespace
}  // namespace ringscope::sim

/// A new kernel, which the caller owns (simgrid_module.cpp). Throws std::logic_error for a second
/// one.
extern "C" __attribute__((visibility("default"))) ringscope::sim::Kernel*
ringscope_simgrid_kernel() {
  static bool made = false;  // SimGrid's settings outlive its engine and cannot be set again
  if (std::exchange(made, true)) throw std::logic_error("SimGrid's engine exists once per process");
  return new ringscope::sim::SimGridKernel;
}
