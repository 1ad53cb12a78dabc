#include <array>

#include "validation/cuda/probes/probe.hpp"

namespace ringscope::cuda {

#define PROBE(name, summary) std::vector<Series> plan_##name(const ProbedGpus&);
#include "validation/cuda/probes/probes.def"
#undef PROBE

std::span<const Probe> probes() {
#define PROBE(name, summary) Probe{#name, summary, plan_##name},
  static constexpr std::array all = {
#include "validation/cuda/probes/probes.def"
  };
#undef PROBE
  return all;
}

}  // namespace ringscope::cuda
