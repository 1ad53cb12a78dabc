// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/search/search.hpp"

#include <cmath>

#include "nccl/search/host_graph.hpp"
#include "nccl/search/next_gpus.hpp"

namespace ringscope::nccl {
namespace {

constexpr int never = -1;

/// Limits of a walk: how it goes on from a GPU.
struct Plan {
  int leave_at = never;  ///< the step whose GPU leads to the port
  int close_at = never;  ///< the step whose GPU leads back to the first
  WalkOrder order = WalkOrder::sorted;
};

class Walk {
 public:
  Walk(const HostGraph& graph, Orders& orders, const Found& wanted, Found& best)
      : graph_(graph),
        orders_(orders),
        now_(wanted),
        best_(best),
        link_rates_(graph),
        used_(graph.gpus.size()) {
    now_.channels.clear();
    now_.links = 0;
    constexpr int same = 1 << 8, different = 1 << 14;
    left_ = wanted.same ? same : different;
    for (const int port : graph.ports)
      port_rates_.push_back(graph.links[graph.leaving[port][0]].rate);
  }

  Searched run() {
    next_channel();
    if (complete_) return {SearchEnd::complete, left_};
    return {left_ > 0 ? SearchEnd::tried_all : SearchEnd::out_of_steps, left_};
  }

 private:
  int gpu_count() const { return static_cast<int>(graph_.gpus.size()); }
  std::size_t depth() const { return now_.channels.size(); }
  bool is_multicast() const { return now_.shape == Shape::multicast; }
  bool is_tree() const { return now_.shape == Shape::chain || now_.shape == Shape::balanced; }

  Plan plan() const {
    const int last = gpu_count() - 1;
    if (graph_.several_hosts) return {now_.shape == Shape::ring ? last : 0, never};
    return {never, now_.shape == Shape::ring ? last : never};
  }

  void next_channel() {
    current_.push_back({std::vector<int>(graph_.gpus.size(), 0), {-1, -1}});
    if (graph_.several_hosts)
      from_ports();
    else
      from_gpus();
    current_.pop_back();
  }

  void from_gpus() {
    Plan plan = this->plan();
    if (is_multicast()) return start(static_cast<int>(depth()), plan);
    const bool first = now_.channels.empty();
    plan.order = first ? WalkOrder::numbers : WalkOrder::as_before;
    start(first ? 0 : now_.channels.back().gpus.front(), plan);
    if (now_.same && !first) return;
    plan.order = WalkOrder::sorted;
    for (int gpu = 0; gpu < gpu_count(); ++gpu) start(gpu, plan);
  }

  void start(int gpu, const Plan& plan) {
    if (gpu < gpu_count()) visit_marked(gpu, 0, plan);
  }

  void from_ports() {
    const std::vector<int>& ports = orders_.ports(now_.farthest_port, never);
    const Rate whole = std::floor(now_.outside);
    bool found = false;
    for (std::size_t i = 0; i < ports.size() && !(is_multicast() && found); ++i) {
      const int port = ports[(depth() + i) % ports.size()];
      Rate& rate = port_rates_[port];
      if (rate < whole) continue;
      if (is_second_of_pair() && port != now_.channels.back().ports[1]) continue;
      current_.back().ports[0] = port;
      rate -= whole;
      if (is_multicast())
        found = head_at(port, ports.size());
      else
        from_port(port);
      rate += whole;
    }
  }

  bool is_second_of_pair() const {
    return now_.shape == Shape::ring && now_.port_pairs && depth() % 2 == 1;
  }

  /// A multicast channel begins at the port's own GPU, which may head one channel only.
  bool head_at(int port, std::size_t ports) {
    const int gpu = graph_.own_gpus[port];
    if (depth() >= ports || gpu < 0) return false;
    for (const FoundChannel& channel : now_.channels)
      if (channel.gpus.front() == gpu) return false;
    enter(port, gpu, plan());
    return true;
  }

  void from_port(int port) {
    Plan plan = this->plan();
    if (!now_.channels.empty() && now_.same) {
      plan.order = WalkOrder::as_before;
      return enter(port, now_.channels.back().gpus.front(), plan);
    }
    if (now_.channels.empty() && graph_.nvswitch < 0) try_numbers(port, plan);
    const int own = graph_.own_gpus[port];
    if (own >= 0) enter(port, own, plan);
    for (const int gpu : nearest(graph_.from_port[port]))
      if (gpu != own) enter(port, gpu, plan);
  }

  /// The GPUs in the order of their numbers, on steps that do not count.
  void try_numbers(int port, Plan plan) {
    plan.order = WalkOrder::numbers;
    constexpr int few = 1 << 10;
    const int before = std::exchange(left_, few);
    enter(port, 0, plan);
    left_ = complete_ ? 0 : before;
  }

  void enter(int port, int gpu, const Plan& plan) {
    const LinkPath& path = graph_.from_port[port][gpu];
    if (is_tree() && graph_.to_port[gpu][port].distance > now_.farthest_port) return;
    along(path, graph_.ports[port], Ends::port, now_.outside, [&] { visit_marked(gpu, 0, plan); });
  }

  enum class Ends { gpus, port };

  /// Goes on behind a path, if it is near enough and its links have the rate.
  template <typename GoOn>
  void along(const LinkPath& path, int start, Ends ends, Rate rate, GoOn go_on) {
    const Distance farthest = ends == Ends::gpus ? now_.farthest_gpu : now_.farthest_port;
    if (path.distance > farthest || !link_rates_.take(path, start, rate)) return;
    const int links = static_cast<int>(path.links.size());
    now_.links += links;
    go_on();
    now_.links -= links;
    link_rates_.give_back(path, start, rate);
  }

  void visit_marked(int gpu, int step, const Plan& plan) {
    const std::uint64_t mark = std::uint64_t{1} << depth();
    used_[gpu] ^= mark;
    visit(gpu, step, plan);
    used_[gpu] ^= mark;
  }

  bool spent() {
    if (left_ <= 0) return true;
    --left_;
    return false;
  }

  void visit(int gpu, int step, const Plan& plan) {
    if (spent()) return;
    current_.back().gpus[step] = gpu;
    if (step == plan.leave_at)
      leave(gpu, step, plan);
    else if (is_multicast())
      multicast(gpu);
    else if (step < gpu_count() - 1)
      go_on(gpu, step, plan);
    else if (step == plan.close_at)
      along(path_between(gpu, current_.back().gpus.front()), node_of(gpu), Ends::gpus, now_.inside,
            [&] { finish(); });
    else
      finish();
  }

  int node_of(int gpu) const { return graph_.gpus[gpu]; }
  const LinkPath& path_between(int from, int to) const { return graph_.to_gpu[from][to]; }

  void go_on(int gpu, int step, const Plan& plan) {
    for (const int next : next_gpus(gpu, step, plan))
      if (is_near_back(gpu, next))
        along(path_between(gpu, next), node_of(gpu), Ends::gpus, now_.inside,
              [&] { visit_marked(next, step + 1, plan); });
  }

  std::vector<int> next_gpus(int gpu, int step, const Plan& plan) {
    if (plan.order == WalkOrder::numbers) return {step + 1};
    if (plan.order == WalkOrder::as_before) return {now_.channels.back().gpus[step + 1]};
    const Towards towards = plan.leave_at == never      ? Towards::anywhere
                            : plan.leave_at == step + 1 ? Towards::port
                                                        : Towards::port_later;
    return orders_.next_gpus(
        {gpu, now_.shape, towards, current_.back().ports[0], static_cast<int>(depth())}, used_);
  }

  /// In a tree data goes both ways, so the path back has to be near enough too.
  bool is_near_back(int gpu, int next) const {
    return !is_tree() || path_between(next, gpu).distance <= now_.farthest_gpu;
  }

  void leave(int gpu, int step, const Plan& plan) {
    const bool balanced = now_.shape == Shape::balanced;
    Plan later = plan;
    later.leave_at = balanced && step == 0 ? 1 : never;
    const Rate rate = balanced ? now_.outside / 2 : now_.outside;
    for (const int port : orders_.ports(now_.farthest_port, gpu)) {
      if (!may_leave_by(port, step)) continue;
      const LinkPath& path = graph_.to_port[gpu][port];
      if (is_tree() && graph_.from_port[port][gpu].distance > now_.farthest_port) continue;
      along(path, node_of(gpu), Ends::port, rate, [&] {
        current_.back().ports[1] = port;
        visit(gpu, step, later);
      });
    }
  }

  bool may_leave_by(int port, int step) const {
    const FoundChannel& channel = current_.back();
    if (now_.shape == Shape::chain) return port == channel.ports[0];
    if (now_.shape == Shape::ring && now_.port_pairs)
      return depth() % 2 == 0 || port == now_.channels.back().ports[0];
    if (!now_.port_pairs && port != channel.ports[0]) return false;
    return now_.shape != Shape::balanced || step == 0 || port == channel.ports[1];
  }

  /// Every GPU sends its share to the switch and takes it from there; the head twice.
  void multicast(int head) {
    struct Taken {
      const LinkPath* path;
      int start;
      Rate rate;
    };
    std::vector<Taken> taken;
    const auto take_all = [&](const Table<LinkPath>& paths, bool down) {
      for (int gpu = 0; gpu < gpu_count(); ++gpu) {
        const LinkPath& path = paths[gpu];
        const Taken one = {&path, down ? graph_.nvswitch : node_of(gpu),
                           gpu == head ? 2 * now_.inside : now_.inside};
        if (path.distance > now_.farthest_gpu || !link_rates_.take(path, one.start, one.rate))
          return false;
        taken.push_back(one);
      }
      return true;
    };
    if (take_all(graph_.from_nvswitch, true) && take_all(graph_.to_nvswitch, false)) finish();
    for (const Taken& one : taken) link_rates_.give_back(*one.path, one.start, one.rate);
  }

  void finish() {
    if (spent()) return;
    now_.channels.push_back(current_.back());
    if (is_better()) {
      best_ = now_;
      if (static_cast<int>(depth()) == now_.most) {
        complete_ = true;
        left_ = 0;
      }
    }
    if (static_cast<int>(depth()) < now_.most) next_channel();
    now_.channels.pop_back();
  }

  bool is_better() const {
    const int now = static_cast<int>(depth()), best = static_cast<int>(best_.channels.size());
    if (now < now_.least) return false;
    if (is_multicast())
      return (now > best && now <= gpu_count()) || now * now_.outside > best * best_.outside;
    if (now * now_.inside != best * best_.inside) return now * now_.inside > best * best_.inside;
    return now_.shape == best_.shape && now_.port_pairs == best_.port_pairs &&
           now_.links < best_.links;
  }

  const HostGraph& graph_;
  Orders& orders_;
  Found now_;
  Found& best_;
  LinkRates link_rates_;
  Table<std::uint64_t> used_;          ///< of each GPU: a bit for each channel that it is in
  std::vector<FoundChannel> current_;  ///< the channels in flight, one inside the other
  Table<Rate> port_rates_;             ///< left of each
  int left_ = 0;
  bool complete_ = false;
};

}  // namespace

Searched search(const HostGraph& graph, Orders& orders, const Found& wanted, Found& best) {
  return Walk(graph, orders, wanted, best).run();
}

}  // namespace ringscope::nccl
