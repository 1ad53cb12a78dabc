// SPDX-License-Identifier: LGPL-2.1-or-later
// Bandwidth of copies: to a GPU, from it, both ways, inside it; from pinned and pageable memory, by
// one stream and by several. Time of one that somebody waits for.
#include <fmt/format.h>

#include "base/table.hpp"
#include "validation/executors/cuda/probes/probe.hpp"

namespace ringscope::cuda {
namespace {

enum class Way { h2d, d2h, both, d2d };
constexpr std::array ways = {Way::h2d, Way::d2h, Way::both, Way::d2d};
constexpr Array<std::string_view, 4> way_names = {"h2d", "d2h", "both", "d2d"};
std::string_view name_of(Way way) { return way_names[way]; }

struct Copy {
  int gpu = 0;
  Way way = Way::h2d;
  HostMemory memory = HostMemory::pinned;
  int streams = 1;

  /// "pinned" or "pageable"; of a copy inside the GPU "device".
  std::string_view memory_name() const {
    return way == Way::d2d ? "device" : cuda::name_of(memory);
  }
};

/// One copy at a time, with its own stream and buffers.
class Copier {
 public:
  /// On a stream of `gpu`; `peer`: the GPU that it copies to by the peer path, -1: none.
  Copier(Gpus& gpus, int gpu, Memory from, Memory to, std::size_t bytes, int peer = -1)
      : gpus_(&gpus),
        gpu_(gpu),
        peer_(peer),
        from_(std::move(from)),
        to_(std::move(to)),
        lane_(gpus, gpu),
        bytes_(bytes) {}

  void start() const {
    if (peer_ < 0)
      gpus_->copy(lane_.stream(), to_.bytes(), from_.bytes(), bytes_);
    else
      gpus_->copy_peer(lane_.stream(), to_.bytes(), peer_, from_.bytes(), gpu_, bytes_);
  }
  const Lane& lane() const { return lane_; }

 private:
  Gpus* gpus_;
  int gpu_, peer_;
  Memory from_, to_;
  Lane lane_;
  std::size_t bytes_;
};

Copier copier_of(Gpus& gpus, const Copy& copy, Way way, std::size_t bytes) {
  Memory device(gpus, copy.gpu, bytes);
  Memory other = way == Way::d2d ? Memory(gpus, copy.gpu, bytes) : Memory(gpus, copy.memory, bytes);
  if (way == Way::d2h) return {gpus, copy.gpu, std::move(device), std::move(other), bytes};
  return {gpus, copy.gpu, std::move(other), std::move(device), bytes};
}

std::vector<Copier> copiers_of(Gpus& gpus, const Copy& copy, std::size_t bytes) {
  std::vector<Copier> copiers;
  for (int i = 0; i < copy.streams; ++i)
    if (copy.way != Way::both) {
      copiers.push_back(copier_of(gpus, copy, copy.way, bytes));
    } else {
      copiers.push_back(copier_of(gpus, copy, Way::h2d, bytes));
      copiers.push_back(copier_of(gpus, copy, Way::d2h, bytes));
    }
  return copiers;
}

std::size_t buffers_of(const Copy& copy) {
  const bool two = copy.way == Way::both || copy.way == Way::d2d;
  return static_cast<std::size_t>(copy.streams) * (two ? 2 : 1);
}

void queued(Bench& bench, const Copy& copy) {
  Gpus& gpus = bench.gpus();
  for (const std::uint64_t bytes : bench.sizes(copy.gpu, buffers_of(copy))) {
    const std::vector<Copier> copiers = copiers_of(gpus, copy, bytes);
    const Point point{"gpu_copy",
                      {{"bytes", bytes},
                       {"gpu", copy.gpu},
                       {"direction", name_of(copy.way)},
                       {"memory", copy.memory_name()},
                       {"streams", copy.streams}},
                      bytes};
    bench.measure(point, [&](int rounds) { return seconds_queued(gpus, copiers, rounds); });
  }
}

void done(Bench& bench, const Copy& copy) {
  Gpus& gpus = bench.gpus();
  for (const std::uint64_t bytes : bench.sizes(copy.gpu, buffers_of(copy))) {
    const Copier copier = copier_of(gpus, copy, copy.way, bytes);
    const Point point{"gpu_copy_done",
                      {{"bytes", bytes},
                       {"gpu", copy.gpu},
                       {"direction", name_of(copy.way)},
                       {"memory", copy.memory_name()}},
                      bytes};
    bench.measure(point, [&](int copies) { return seconds_waited_for(gpus, copier, copies); });
  }
}

template <class Add>
void for_each_way(const ProbedGpus& probed, const Add& add) {
  for (const int gpu : probed.chosen)
    for (const Way way : ways)
      for (const HostMemory memory : {HostMemory::pinned, HostMemory::pageable})
        if (way != Way::d2d || memory == HostMemory::pinned) add(Copy{gpu, way, memory});
}

std::string title(std::string_view what, const Copy& copy) {
  return fmt::format("{}, GPU {}, {}, {}", what, copy.gpu, name_of(copy.way), copy.memory_name());
}

// Exchange between two GPUs, where one may write the memory of the other and where it may not.

struct Pair {
  int from = 0, to = 0;
};

/// From one GPU to another, on a stream of the one that sends.
Copier copier_of(Gpus& gpus, Pair pair, std::size_t bytes) {
  Memory from(gpus, pair.from, bytes), to(gpus, pair.to, bytes);
  return {gpus, pair.from, std::move(from), std::move(to), bytes, pair.to};
}

nlohmann::ordered_json parameters_of(Gpus& gpus, Pair pair, std::uint64_t bytes) {
  const bool direct = gpus.peer_access(pair.from, pair.to);
  return {{"bytes", bytes},
          {"from", pair.from},
          {"to", pair.to},
          {"access", direct ? "peer" : "staged"}};
}

void enable(Gpus& gpus, Pair pair) {
  if (gpus.peer_access(pair.from, pair.to)) gpus.enable_peer_access(pair.from, pair.to);
  if (gpus.peer_access(pair.to, pair.from)) gpus.enable_peer_access(pair.to, pair.from);
}

void queued(Bench& bench, Pair pair, int directions) {
  Gpus& gpus = bench.gpus();
  enable(gpus, pair);
  for (const std::uint64_t bytes : bench.sizes(pair.to, 2)) {
    std::vector<Copier> copiers;
    copiers.push_back(copier_of(gpus, pair, bytes));
    if (directions == 2) copiers.push_back(copier_of(gpus, Pair{pair.to, pair.from}, bytes));
    Point point{"gpu_peer_copy", parameters_of(gpus, pair, bytes), bytes};
    point.parameters["directions"] = directions;
    bench.measure(point, [&](int rounds) { return seconds_queued(gpus, copiers, rounds); });
  }
}

void done(Bench& bench, Pair pair) {
  Gpus& gpus = bench.gpus();
  enable(gpus, pair);
  for (const std::uint64_t bytes : bench.sizes(pair.to, 1)) {
    const Copier copier = copier_of(gpus, pair, bytes);
    const Point point{"gpu_peer_copy_done", parameters_of(gpus, pair, bytes), bytes};
    bench.measure(point, [&](int copies) { return seconds_waited_for(gpus, copier, copies); });
  }
}

std::vector<Pair> pairs_of(const ProbedGpus& probed, bool both_orders) {
  std::vector<Pair> pairs;
  for (const int from : probed.chosen)
    for (const int to : probed.chosen)
      if (from < to || (both_orders && from > to)) pairs.push_back({from, to});
  return pairs;
}

}  // namespace

std::vector<Series> plan_gpu_copy(const ProbedGpus& probed) {
  std::vector<Series> plan;
  for_each_way(probed, [&](Copy copy) {
    for (copy.streams = 1; copy.streams <= probed.most_streams; copy.streams *= 2)
      plan.push_back({fmt::format("{}, {} streams", title("gpu_copy", copy), copy.streams),
                      [copy](Bench& bench) { queued(bench, copy); }});
  });
  return plan;
}

std::vector<Series> plan_gpu_copy_done(const ProbedGpus& probed) {
  std::vector<Series> plan;
  for_each_way(probed, [&](const Copy& copy) {
    if (copy.way == Way::both) return;
    plan.push_back(
        {title("gpu_copy_done", copy), [copy](Bench& bench) { done(bench, copy); }, 0.5});
  });
  return plan;
}

std::vector<Series> plan_gpu_peer_copy(const ProbedGpus& probed) {
  std::vector<Series> plan;
  for (const int directions : {1, 2})
    for (const Pair pair : pairs_of(probed, directions == 1))
      plan.push_back({fmt::format("gpu_peer_copy, GPU {} {} {}", pair.from,
                                  directions == 1 ? "to" : "and", pair.to),
                      [=](Bench& bench) { queued(bench, pair, directions); }});
  return plan;
}

std::vector<Series> plan_gpu_peer_copy_done(const ProbedGpus& probed) {
  std::vector<Series> plan;
  for (const Pair pair : pairs_of(probed, true))
    plan.push_back({fmt::format("gpu_peer_copy_done, GPU {} to {}", pair.from, pair.to),
                    [pair](Bench& bench) { done(bench, pair); }, 0.5});
  return plan;
}

}  // namespace ringscope::cuda
