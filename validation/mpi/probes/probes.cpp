#include <array>

#include "validation/mpi/probes/probe.hpp"

namespace ringscope::mpi {

#define PROBE(name, summary) std::vector<Series> plan_##name(Layout&);
#include "validation/mpi/probes/probes.def"
#undef PROBE

std::span<const Probe> probes() {
#define PROBE(name, summary) Probe{#name, summary, plan_##name},
  static constexpr std::array all = {
#include "validation/mpi/probes/probes.def"
  };
#undef PROBE
  return all;
}

}  // namespace ringscope::mpi
