// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/search/rates.hpp"

#include <algorithm>
#include <cmath>

namespace ringscope::nccl {
namespace {

/// One NVLink: what it carries, and as what NCCL counts it.
struct Generation {
  int capability;
  Rate carries, counts;
  Rate most;  ///< all links of a GPU
  Rate pcie;  ///< a x16 slot, as NCCL counts it
};

constexpr std::array generations = {
    Generation{70, 25, 20, 150, 12},
    Generation{80, 25, 20, 300, 24},
    Generation{90, 25, 20.6, 450, 48},
    Generation{100, 50, 40.1, 900, 96},
};

const Generation& row_of(int capability) {
  return *std::ranges::find(generations, capability, &Generation::capability);
}

/// One host.
constexpr std::array<Rate, 13> volta_inside = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
constexpr std::array<Rate, 11> hopper_inside = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
constexpr std::array<Rate, 12> blackwell_inside = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
/// Several hosts.
constexpr std::array<Rate, 19> volta_between = {48, 30, 28, 24, 20, 18,  15,  12,   10,  9,
                                                7,  6,  5,  4,  3,  2.4, 1.2, 0.24, 0.12};
constexpr std::array<Rate, 17> hopper_between = {48, 45, 42, 40, 30,  24,  22,   20,  17.5,
                                                 15, 12, 6,  3,  2.4, 1.2, 0.24, 0.12};
constexpr std::array<Rate, 20> blackwell_between = {
    96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12};

Rate gigabytes(Bandwidth bandwidth) {
  return std::min(bandwidth.bytes_per_second / 1e9, unlimited_rate);
}

bool is_nvlink_end(ComponentKind kind) {
  return kind == ComponentKind::gpu || kind == ComponentKind::nvswitch;
}

}  // namespace

Rate one_nvlink(int generation) { return row_of(generation).counts; }

int generation_of(const Topology& topology, const Host& host) {
  const Graph& graph = topology.graph();
  Rate nvlinks = 0, pcie = 0;
  for (const Vertex gpu : host.gpus) {
    Rate of_gpu = 0;
    for (const auto [other, id] : graph.edges(gpu)) {
      const Bandwidth bandwidth = graph.link(id).bandwidth;
      if (is_nvlink_end(graph[other].kind))
        of_gpu += gigabytes(bandwidth);
      else
        pcie = std::max(pcie, pcie_rate(bandwidth));
    }
    nvlinks = std::max(nvlinks, of_gpu);
  }
  int capability = generations.front().capability;
  for (const Generation& row : generations) {
    capability = row.capability;
    if (nvlinks <= row.most && (pcie <= row.pcie || pcie >= unlimited_rate)) break;
  }
  return capability;
}

Rate nvlink_rate(Bandwidth described, int generation) {
  const Generation& row = row_of(generation);
  return std::max(1.0, std::round(gigabytes(described) / row.carries)) * row.counts;
}

Rate pcie_rate(Bandwidth described) {
  const Rate carries = gigabytes(described);
  constexpr Rate fastest = 96, slowest = 0.1875;  // 6.0 x16, 1.0 x1
  constexpr Rate raw = 4.0 / 3 * 1.001;           // 128b/130b at most, with what a rounding adds
  if (carries > fastest * raw) return unlimited_rate;
  Rate rate = slowest;
  while (rate < fastest && carries > rate * raw) rate *= 2;
  return rate;
}

Processor processor_of(int generation) {
  constexpr Rate skylake = 10, sapphire_rapids = 22, amd = 16;
  if (generation == 80) return {true, amd};
  return {false, generation < 80 ? skylake : sapphire_rapids};
}

std::span<const Rate> steps(int generation, bool several_hosts) {
  if (generation >= 100) {
    if (several_hosts) return blackwell_between;
    return blackwell_inside;
  }
  if (generation >= 90) {
    if (several_hosts) return hopper_between;
    return hopper_inside;
  }
  if (several_hosts) return volta_between;
  return volta_inside;
}

}  // namespace ringscope::nccl
