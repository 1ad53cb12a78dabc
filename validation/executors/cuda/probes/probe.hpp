// SPDX-License-Identifier: LGPL-2.1-or-later
// The micro-benchmarks of GPUs: one file and one line of probes.def each.
#pragma once

#include "validation/executors/batches.hpp"
#include "validation/executors/cuda/gpus/gpus.hpp"

namespace ringscope::cuda {

class Bench;

/// Points measured one after the other, sizes ascending.
struct Series {
  std::string name;  ///< for people: "gpu_copy, GPU 0, d2h, pinned, 2 streams"
  std::function<void(Bench&)> run;
  double weight = 1;  ///< its share of the budget, against the others'
};

// Measures points on GPUs within a budget of time and keeps the samples.

/// "pinned", "pageable"
std::string_view name_of(HostMemory kind);

class Bench {
 public:
  /// `weight`: of all series that will be run, to divide the budget. The clock starts here.
  Bench(Gpus& gpus, BenchOptions options, double weight);

  Gpus& gpus() { return *gpus_; }
  void run(const Series& series);

  /// Measures as Budget::take() does. The median, or nothing when the point was left out.
  std::optional<double> measure(const Point& point, const TimedRun& run);

  /// Sizes of vectors to measure, ascending and whole floats: those for which `buffers` of that
  /// size fit into half of the GPU's free memory.
  std::vector<std::uint64_t> sizes(int gpu, std::size_t buffers);

  /// Present position, for a watchdog in another thread.
  std::string place() const { return budget_.place(); }

  const nlohmann::ordered_json& measurements() const { return measurements_; }
  /// Points left out, in words.
  std::vector<std::string> notes() const;

 private:
  Gpus* gpus_;
  BenchOptions options_;
  Budget budget_;
  nlohmann::ordered_json measurements_ = nlohmann::ordered_json::array();
  std::vector<std::string> without_;  ///< left out for other reasons than time
};

// Time of copies that are queued together, or that somebody waits for one after the other.
//
// A copier has start(), which queues one copy, and lane(), on which it does so.

/// Seconds for `rounds` rounds of one copy by each, queued at once.
template <class Copier>
double seconds_queued(Gpus& gpus, const std::vector<Copier>& copiers, int rounds) {
  const double start_s = gpus.now();
  for (int i = 0; i < rounds; ++i)
    for (const Copier& copier : copiers) copier.start();
  for (const Copier& copier : copiers) gpus.record(copier.lane().stream(), copier.lane().event());
  for (const Copier& copier : copiers) gpus.synchronize(copier.lane().event());
  return gpus.now() - start_s;
}

/// Seconds of calls, one after the other.
template <class Once>
double seconds_of(Gpus& gpus, int count, Once once) {
  const double start_s = gpus.now();
  for (int i = 0; i < count; ++i) once();
  return gpus.now() - start_s;
}

/// Seconds for `copies` copies, each begun when the one before is known to be done.
template <class Copier>
double seconds_waited_for(Gpus& gpus, const Copier& copier, int copies) {
  return seconds_of(gpus, copies, [&] {
    copier.start();
    copier.lane().finish();
  });
}

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
