// SPDX-License-Identifier: LGPL-2.1-or-later
// Searches in turn: all channels alike, then different ones; farther GPUs, farther ports, two
// ports in a ring; then the next slower rate, until that loses more than half of what is found.
// What was found is doubled where a channel has rate enough for two, and then a faster rate is
// tried for the same number.
//
// Source of the rules: NCCL 2.31, src/graph/search.cc.
#include "nccl/search/channels_of_host.hpp"

#include <algorithm>

#include "nccl/search/next_gpus.hpp"

namespace ringscope::nccl {
namespace {

int count(const Found& found) { return static_cast<int>(found.channels.size()); }

Distance farther(Distance distance) {
  return static_cast<Distance>(static_cast<int>(distance) + 1);
}

/// The nearest and the farthest of paths between different parts.
std::pair<Distance, Distance> range_of(const LinkPaths& paths, bool between_gpus) {
  Distance least = Distance::sockets, most = Distance::same;
  for (std::size_t i = 0; i < paths.size(); ++i)
    for (std::size_t j = 0; j < paths[i].size(); ++j)
      if (!between_gpus || i != j) {
        least = std::min(least, paths[i][j].distance);
        most = std::max(most, paths[i][j].distance);
      }
  return {least, most};
}

/// The farthest of paths that go no farther than `limit`.
Distance farthest_within(const LinkPaths& paths, Distance limit) {
  Distance farthest = Distance::same;
  for (const auto& row : paths)
    for (const LinkPath& path : row)
      if (path.distance <= limit) farthest = std::max(farthest, path.distance);
  return farthest;
}

/// GPUs in two groups that NVLinks join inside, but not with each other: then a tree over both
/// wants two channels, and rings follow it.
bool is_split(const HostGraph& graph) {
  std::vector<std::size_t> group(graph.gpus.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = i;
  for (std::size_t i = 0; i < group.size(); ++i)
    for (std::size_t j = i + 1; j < group.size(); ++j)
      if (graph.to_gpu[i][j].distance == Distance::nvlink) group[j] = group[i];
  std::ptrdiff_t groups = 0;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (std::ranges::count(group, i) > 1) ++groups;
  return groups == 2;
}

/// The highest rate of one path that channels need, and of all that a GPU has.
struct Bounds {
  Rate path = 0, gpu = 0;
};

Bounds bounds_of(const HostGraph& graph) {
  if (!graph.several_hosts && graph.gpus.size() == 1) return {unlimited_rate, unlimited_rate};
  Bounds bounds;
  for (const auto& row : graph.several_hosts ? graph.to_port : graph.to_gpu)
    for (const LinkPath& path : row)
      if (!path.links.empty()) bounds.path = std::max(bounds.path, path.rate);
  for (const int gpu : graph.gpus) {
    Rate nvlinks = 0, pcie = 0;
    for (const int id : graph.leaving[gpu]) {
      const GraphLink& link = graph.links[id];
      if (link.type == LinkType::nvlink) nvlinks += link.rate;
      if (link.type == LinkType::pcie) pcie = link.rate;
    }
    bounds.gpu = std::max({bounds.gpu, nvlinks, pcie});
  }
  return bounds;
}

class Hunt {
 public:
  Hunt(const HostGraph& graph, Orders& orders, const Found& asked)
      : graph_(graph),
        orders_(orders),
        best_(asked),
        bounds_(bounds_of(graph)),
        rates_(steps(graph.generation, graph.several_hosts)) {
    set_limits();
    best_.farthest_gpu = nearest_gpu_;
    best_.farthest_port = nearest_port_;
    best_.same = alike_first_ = !is_multicast();
    wanted_ = best_;
  }

  Found run() {
    first_rate();
    widen_and_slow();
    double_channels();
    raise_rate();
    if (best_.channels.empty() && !is_multicast()) in_order();
    return best_;
  }

 private:
  bool is_multicast() const { return best_.shape == Shape::multicast; }

  void set_limits() {
    if (graph_.gpus.size() > 1)
      std::tie(nearest_gpu_, farthest_gpu_) = range_of(graph_.to_gpu, true);
    if (graph_.several_hosts) {
      std::tie(nearest_port_, farthest_port_) = range_of(graph_.to_port, false);
      if (graph_.generation < 90) farthest_port_ = Distance::sockets;
    }
  }

  void set_rate(std::size_t step) {
    step_ = step;
    wanted_.inside = wanted_.outside = rates_[step];
  }

  void first_rate() {
    Rate total = bounds_.gpu;
    const auto gpus = static_cast<Rate>(graph_.gpus.size());
    if (gpus > 1 && best_.shape != Shape::ring) total *= gpus / (gpus - 1);
    std::size_t step = 0;
    while (step + 1 < rates_.size() &&
           (rates_[step] > bounds_.path || rates_[step] * wanted_.least > total))
      ++step;
    set_rate(step);
  }

  /// True if nothing better can be found.
  bool done(const Searched& searched) const {
    return searched.outcome == SearchEnd::complete || count(best_) * best_.outside >= bounds_.gpu;
  }

  void widen_and_slow() {
    std::int64_t steps_left = 1 << 19;
    for (;;) {
      const std::int64_t allowed = wanted_.same ? 1 << 8 : 1 << 14;
      const Searched searched = search_once();
      steps_left -= allowed;
      if (done(searched)) return;
      const bool amd_sockets = graph_.processor.amd && wanted_.farthest_gpu == Distance::sockets;
      if (wanted_.same && !amd_sockets) {
        wanted_.same = false;
        continue;
      }
      wanted_.same = alike_first_;
      steps_left += searched.left;
      if (steps_left < 0 && count(best_) > 0) return;
      if (!widen() && !slow()) return;
    }
  }

  /// A search is as one before it where what it may go to is no farther: it finds the same.
  Searched search_once() {
    const auto [known, is_new] =
        searched_.try_emplace({wanted_.same, wanted_.shape, wanted_.port_pairs, wanted_.inside,
                               farthest_within(graph_.to_gpu, wanted_.farthest_gpu),
                               farthest_within(graph_.to_port, wanted_.farthest_port),
                               farthest_within(graph_.from_port, wanted_.farthest_port)});
    if (is_new) known->second = search(graph_, orders_, wanted_, best_);
    return known->second;
  }

  bool widen() {
    if (graph_.generation >= 90 && wanted_.shape == Shape::balanced) {
      wanted_.shape = Shape::chain;
      return true;
    }
    wanted_.shape = best_.shape;
    const bool none = count(best_) == 0;
    const Distance limit = graph_.several_hosts ? wanted_.farthest_port : farthest_gpu_;
    if (wanted_.farthest_gpu < limit && (none || wanted_.farthest_gpu < best_.farthest_gpu)) {
      wanted_.farthest_gpu = farther(wanted_.farthest_gpu);
      return true;
    }
    wanted_.farthest_gpu = nearest_gpu_;
    if (graph_.several_hosts && wanted_.farthest_port < farthest_port_ &&
        (none || wanted_.farthest_port < best_.farthest_port ||
         wanted_.farthest_port < Distance::gpu_relay)) {
      wanted_.farthest_port = farther(wanted_.farthest_port);
      return true;
    }
    wanted_.farthest_port = nearest_port_;
    if (graph_.ports.size() > 1 && !wanted_.port_pairs &&
        (best_.shape == Shape::ring || best_.shape == Shape::balanced)) {
      wanted_.port_pairs = true;
      return true;
    }
    wanted_.port_pairs = false;
    return false;
  }

  bool slow() {
    constexpr Rate half = .49;
    if (step_ + 1 >= rates_.size()) return false;
    if (count(best_) > 0 && rates_[step_ + 1] / best_.outside <= half) return false;
    set_rate(step_ + 1);
    return true;
  }

  void double_channels() {
    constexpr Rate enough = 25, ample = 50;
    constexpr int few = 4;
    const int found = count(best_);
    if (found == 0 || is_multicast() || best_.inside < enough) return;
    if (graph_.generation > 80 && best_.inside < ample && found > few) return;
    const int doubled = std::min(2 * found, best_.most);
    const Rate times = (doubled + found - 1) / found;
    for (int i = 0; count(best_) < doubled; ++i) best_.channels.push_back(best_.channels[i]);
    best_.inside /= times;
    best_.outside /= times;
  }

  /// Rings get a faster rate, trees a faster one inside the host, up to twice that of the ports.
  void raise_rate() {
    wanted_ = best_;
    wanted_.least = count(best_);
    std::size_t step = 0;
    while (step + 1 < rates_.size() && rates_[step] > best_.outside) ++step;
    set_rate(step);
    for (SearchEnd outcome{}; outcome != SearchEnd::out_of_steps && step_ > 0;) {
      if (best_.shape == Shape::ring) {
        set_rate(step_ - 1);
      } else if (is_multicast() && wanted_.outside == best_.outside &&
                 wanted_.outside < wanted_.inside * 2) {
        wanted_.least = wanted_.most = count(best_);
        wanted_.outside = rates_[--step_];
      } else if (wanted_.inside == best_.inside && wanted_.inside < wanted_.outside * 2) {
        wanted_.inside = rates_[--step_];
      } else {
        return;
      }
      outcome = search(graph_, orders_, wanted_, best_).outcome;
    }
  }

  void in_order() {
    FoundChannel channel;
    for (int gpu = 0; gpu < static_cast<int>(graph_.gpus.size()); ++gpu)
      channel.gpus.push_back(gpu);
    if (!graph_.ports.empty())
      channel.ports = {port_of(graph_, 0, 0), port_of(graph_, channel.gpus.back(), 0)};
    best_.channels = {channel};
    constexpr Rate nearly_none = 0.1;
    best_.inside = best_.outside = nearly_none;
    best_.farthest_gpu = Distance::sockets;
  }

  const HostGraph& graph_;
  Orders& orders_;
  std::map<std::tuple<bool, Shape, bool, Rate, Distance, Distance, Distance>, Searched> searched_;
  Found best_, wanted_;
  Bounds bounds_;
  std::span<const Rate> rates_;
  bool alike_first_ = true;
  std::size_t step_ = 0;
  Distance nearest_gpu_ = Distance::same, farthest_gpu_ = Distance::sockets;
  Distance nearest_port_ = Distance::one_switch, farthest_port_ = Distance::sockets;
};

Found asked(Shape shape, int least, int most) {
  Found found;
  found.shape = shape;
  found.least = least;
  found.most = most;
  return found;
}

}  // namespace

HostChannels channels_of_host(const HostGraph& graph) {
  if (auto rings = xgmi_channels(graph)) return *std::move(rings);
  const int gpus = static_cast<int>(graph.gpus.size());
  HostChannels channels;
  Orders orders(graph);
  const int most = most_rings / 2;
  const int least = is_split(graph) ? 2 : 1;
  channels.ring = Hunt(graph, orders, asked(Shape::ring, least, most)).run();
  const int rings = count(channels.ring);
  channels.tree =
      Hunt(graph, orders, asked(gpus == 1 ? Shape::chain : Shape::balanced, rings, rings)).run();
  const int heads = std::min(gpus, most_heads);
  channels.multicast = asked(Shape::multicast, 1, heads);
  if (graph.nvswitch < 0 || graph.generation < 90 || gpus == 1) return channels;
  channels.multicast =
      Hunt(graph, orders, asked(Shape::multicast, graph.several_hosts ? 1 : heads, heads)).run();
  return channels;
}

}  // namespace ringscope::nccl
