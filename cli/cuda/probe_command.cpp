// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <memory>
#include <set>

#include "cli/cuda/open_gpus.hpp"
#include "cli/replays/measuring.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "validation/executors/cuda/probes/probe.hpp"

namespace ringscope::cuda {
namespace {

using Json = nlohmann::ordered_json;

struct ProbeArguments {
  std::string command, output = "-", emulated;
  std::vector<std::string> only, sizes, segments;
  std::vector<int> gpus;
  int most_streams = 4;
  double timeout_s = 120;
  BenchOptions bench;
};

std::vector<std::uint64_t> whole_floats(const std::string& option,
                                        const std::vector<std::string>& texts) {
  constexpr std::uint64_t item = sizeof(float);
  return sizes_of(option, texts,
                  {item, 1 << 30, item, "whole floats: a multiple of 4 B up to 1 GiB"});
}

std::vector<int> chosen_gpus(const ProbeArguments& arguments, const Gpus& gpus) {
  std::set<int> chosen;
  for (const int gpu : arguments.gpus) {
    if (gpu < 0 || gpu >= gpus.count())
      option_word("--gpus", std::to_string(gpu))
          .fail("expected a GPU from 0 to {}, got {}", gpus.count() - 1, gpu);
    chosen.insert(gpu);
  }
  for (int gpu = 0; arguments.gpus.empty() && gpu < gpus.count(); ++gpu) chosen.insert(gpu);
  return {chosen.begin(), chosen.end()};
}

Provenance provenance(const ProbeArguments& arguments, Gpus& gpus, const std::vector<int>& chosen) {
  Provenance where = provenance_on(gpus, chosen, arguments.command);
  where.warmups = 1;
  where.emulated = arguments.emulated;
  return where;
}

double median_at(const Json& measurements, std::string_view what, const Json& parameters) {
  for (const Json& one : measurements)
    if (one["what"] == what && one["parameters"] == parameters) return one["median_s"];
  return 0;
}

/// A sum of two vectors moves three bytes for each of the result, a copy two.
void print_reduction_share(const Json& measurements) {
  const Json* largest = nullptr;
  for (const Json& one : measurements)
    if (one["what"] == "gpu_reduction") largest = &one;
  if (largest == nullptr) return;
  const Json& at = (*largest)["parameters"];
  const double copy_s = median_at(measurements, "gpu_copy",
                                  {{"bytes", at["bytes"]},
                                   {"gpu", at["gpu"]},
                                   {"direction", "d2d"},
                                   {"memory", "device"},
                                   {"streams", 1}});
  if (copy_s <= 0) return;
  const double share = 3 * copy_s / (2 * (*largest)["median_s"].get<double>());
  fmt::print(stderr, "reduction of {} B on GPU {}: {:.0f} % of the bandwidth of a copy\n",
             at["bytes"].get<std::uint64_t>(), at["gpu"].get<int>(), 100 * share);
}

void probe_command(ProbeArguments& arguments) {
  const std::set<std::size_t> indices = chosen_indices(
      arguments.only, each_of<std::string>(std::span(probes), &Probe::name), "probe");
  arguments.bench.sizes = whole_floats("--sizes", arguments.sizes);
  require_writable(arguments.output);
  const std::unique_ptr<Gpus> gpus = open_gpus();
  const ProbedGpus probed{gpus.get(), chosen_gpus(arguments, *gpus), arguments.most_streams,
                          whole_floats("--segments", arguments.segments)};
  std::vector<Series> plan;
  for (const std::size_t i : indices)
    for (Series& series : probes[i].plan(probed)) plan.push_back(std::move(series));
  Bench bench(*gpus, arguments.bench, weight_of(plan));
  ProgressBar progress("", ProgressBar::Redraw::when_shown);
  double done = 0;
  for (const Series& series : plan) {
    progress.show(done++ / static_cast<double>(plan.size()));
    const Watchdog watchdog(Seconds(arguments.timeout_s), [&bench] { return bench.place(); });
    bench.run(series);
  }
  for (const std::string& note : bench.notes()) fmt::print(stderr, "{}\n", note);
  print_reduction_share(bench.measurements());
  write_document(arguments.output, "probes", provenance(arguments, *gpus, probed.chosen),
                 bench.measurements());
}

std::string footer() {
  return probes_text(probes, 19) +
         "\nExample, on idle GPUs:\n  ringscope-cuda probe -o probes.json";
}

}  // namespace

void add_probe(Command& program, const std::string& command) {
  auto [probe, arguments] = program.add_subcommand("probe", probe_command);
  arguments.command = command;
  probe.add_option("-o,--output", arguments.output);
  probe.add_option("--only", arguments.only).separated_by(',');
  probe.add_option("--sizes", arguments.sizes).separated_by(',');
  probe.add_option("--segments", arguments.segments).separated_by(',');
  probe.add_option("--gpus", arguments.gpus).separated_by(',');
  probe.add_option("--streams", arguments.most_streams).show_default().between(1, 64);
  add_bench_options(probe, arguments.bench);
  probe.add_option("--timeout", arguments.timeout_s).show_default().above_zero();
  probe.add_option("--emulated", arguments.emulated);
  probe.footer(footer());
}

}  // namespace ringscope::cuda
