// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/probes/probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topologies/input/units.hpp"
#include "validation/executors/measurement.hpp"

namespace ringscope::cuda {
namespace {

std::vector<std::uint64_t> default_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = sizeof(float); bytes <= 256 << 20; bytes *= 4) sizes.push_back(bytes);
  return sizes;
}

}  // namespace

std::string_view name_of(HostMemory kind) {
  return kind == HostMemory::pinned ? "pinned" : "pageable";
}

Bench::Bench(Gpus& gpus, BenchOptions options, double weight)
    : gpus_(&gpus),
      options_(std::move(options)),
      budget_([&gpus] { return gpus.now(); }, options_, weight) {}

void Bench::run(const Series& series) {
  budget_.begin_series(series.name, series.weight);
  series.run(*this);
}

std::optional<double> Bench::measure(const Point& point, const TimedRun& run) {
  const auto samples_s = budget_.take(point, run, [](int number) { return number; });
  if (!samples_s) return std::nullopt;
  if (spread_of(*samples_s).median_s <= 0) {
    without_.push_back(
        fmt::format("{}: no time that the clock could measure: omitted", budget_.series()));
    return std::nullopt;
  }
  if (point.kept)
    measurements_.push_back(measurement_json(point.what, point.parameters, *samples_s));
  return spread_of(*samples_s).median_s;
}

std::vector<std::uint64_t> Bench::sizes(int gpu, std::size_t buffers) {
  std::vector<std::uint64_t> sizes = options_.sizes.empty() ? default_sizes() : options_.sizes;
  for (std::uint64_t& bytes : sizes)
    bytes = std::max(bytes / sizeof(float), std::uint64_t{1}) * sizeof(float);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  const std::uint64_t room = gpus_->info(gpu).free_bytes / 2 / buffers;
  const auto end = std::upper_bound(sizes.begin(), sizes.end(), room);
  if (end != sizes.end())
    without_.push_back(fmt::format("{}: {} and more omitted: {} of memory are free",
                                   budget_.series(), to_short_text(Bytes{*end}),
                                   to_short_text(Bytes{gpus_->info(gpu).free_bytes})));
  sizes.erase(end, sizes.end());
  budget_.expect_points(static_cast<int>(sizes.size()));
  return sizes;
}

std::vector<std::string> Bench::notes() const {
  std::vector<std::string> notes = without_;
  notes.insert(notes.end(), budget_.notes().begin(), budget_.notes().end());
  return notes;
}

}  // namespace ringscope::cuda
