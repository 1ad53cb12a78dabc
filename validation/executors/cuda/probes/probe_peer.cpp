// SPDX-License-Identifier: LGPL-2.1-or-later
// Exchange between two GPUs, where one may write the memory of the other and where it may not.
#include <fmt/format.h>

#include "validation/executors/cuda/gpus/owned.hpp"
#include "validation/executors/cuda/probes/probe.hpp"
#include "validation/executors/cuda/probes/timed_copies.hpp"

namespace ringscope::cuda {
namespace {

struct Pair {
  int from = 0, to = 0;
};

/// Copies from one GPU to another, on a stream of the one that sends.
class PeerCopier {
 public:
  PeerCopier(Gpus& gpus, Pair pair, std::size_t bytes)
      : gpus_(&gpus),
        pair_(pair),
        bytes_(bytes),
        from_(gpus, pair.from, bytes),
        to_(gpus, pair.to, bytes),
        lane_(gpus, pair.from) {}

  void start() const {
    gpus_->copy_peer(lane_.stream(), to_.bytes(), pair_.to, from_.bytes(), pair_.from, bytes_);
  }
  const Lane& lane() const { return lane_; }

 private:
  Gpus* gpus_;
  Pair pair_;
  std::size_t bytes_;
  Memory from_, to_;
  Lane lane_;
};

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
    std::vector<PeerCopier> copiers;
    copiers.emplace_back(gpus, pair, bytes);
    if (directions == 2) copiers.emplace_back(gpus, Pair{pair.to, pair.from}, bytes);
    Point point{"gpu_peer_copy", parameters_of(gpus, pair, bytes), bytes};
    point.parameters["directions"] = directions;
    bench.measure(point, [&](int rounds) { return seconds_queued(gpus, copiers, rounds); });
  }
}

void done(Bench& bench, Pair pair) {
  Gpus& gpus = bench.gpus();
  enable(gpus, pair);
  for (const std::uint64_t bytes : bench.sizes(pair.to, 1)) {
    const PeerCopier copier(gpus, pair, bytes);
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
