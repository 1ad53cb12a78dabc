// SPDX-License-Identifier: LGPL-2.1-or-later
// The micro-benchmarks of GPUs: one file and one line of probes.def each.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "validation/executors/cuda/probes/bench.hpp"

namespace ringscope::cuda {

/// Points measured one after the other, sizes ascending.
struct Series {
  std::string name;  ///< for people: "gpu_copy, GPU 0, d2h, pinned, 2 streams"
  std::function<void(Bench&)> run;
  double weight = 1;  ///< its share of the budget, against the others'
};

/// The part of the machine that the probes look at.
struct ProbedGpus {
  Gpus* gpus = nullptr;
  std::vector<int> chosen;              ///< GPUs, ascending
  int most_streams = 4;                 ///< at once
  std::vector<std::uint64_t> segments;  ///< of the staged pipeline; [] for those that suit it
};

struct Probe {
  std::string_view name;     ///< name of its measurements
  std::string_view summary;  ///< meaning of the time
  std::vector<Series> (*plan)(const ProbedGpus&);
};

#define PROBE(name, summary) std::vector<Series> plan_##name(const ProbedGpus&);
#include "validation/executors/cuda/probes/probes.def"
#undef PROBE

/// All, in the order of probes.def.
#define PROBE(name, summary) {#name, summary, plan_##name},
inline constexpr Probe probes[] = {
#include "validation/executors/cuda/probes/probes.def"
};
#undef PROBE

}  // namespace ringscope::cuda
