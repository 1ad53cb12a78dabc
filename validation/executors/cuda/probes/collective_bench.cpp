// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/cuda/probes/collective_bench.hpp"

#include <fmt/format.h>

#include "algorithms/collectives.hpp"
#include "validation/executors/cuda/gpus/gpus.hpp"
#include "validation/executors/measurement.hpp"
#include "validation/executors/replayed.hpp"

namespace ringscope::cuda {
namespace {

using Json = nlohmann::ordered_json;

/// Small whole numbers, which floats add exactly; another vector for each rank.
float item_of(int rank, std::size_t index) {
  return static_cast<float>((static_cast<std::size_t>(rank) * 5 + index * 3) % 17);
}

float sum_of(int ranks, std::size_t index) {
  float sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += item_of(rank, index);
  return sum;
}

class Ranks {
 public:
  Ranks(Gpus& gpus, int count, std::size_t most_bytes) : gpus_(&gpus) {
    for (int rank = 0; rank < count; ++rank) {
      const int gpu = rank % gpus.count();
      from_.emplace_back(gpus, gpu, most_bytes);
      to_.emplace_back(gpus, gpu, most_bytes);
      lanes_.emplace_back(gpus, gpu);
      all_.push_back({gpu, lanes_.back().stream(), from_.back().floats(), to_.back().floats()});
    }
  }

  const std::vector<CollectiveRank>& all() const { return all_; }
  int count() const { return static_cast<int>(all_.size()); }

  void finish() const {
    for (const Lane& lane : lanes_) gpus_->record(lane.stream(), lane.event());
    for (const Lane& lane : lanes_) gpus_->synchronize(lane.event());
  }

  void fill(std::size_t items) const {
    std::vector<float> vector(items);
    for (int rank = 0; rank < count(); ++rank) {
      for (std::size_t i = 0; i < items; ++i) vector[i] = item_of(rank, i);
      gpus_->copy(lanes_[rank].stream(), from_[rank].bytes(), vector.data(), items * sizeof(float));
      lanes_[rank].finish();
    }
  }

  std::vector<float> result(int rank, std::size_t items) const {
    std::vector<float> vector(items);
    gpus_->copy(lanes_[rank].stream(), vector.data(), to_[rank].bytes(), items * sizeof(float));
    lanes_[rank].finish();
    return vector;
  }

 private:
  Gpus* gpus_;
  Table<Memory> from_, to_;
  Table<Lane> lanes_;
  std::vector<CollectiveRank> all_;
};

const ringscope::Collective& facts_of(Collective one) { return *find_collective(name_of(one)); }

/// Value expected at an item of a rank's result; vectors that are cut in chunks lie in one.
float expected_at(Collective what, int ranks, int rank, std::size_t items, std::size_t index) {
  const std::size_t part = items / static_cast<std::size_t>(ranks);
  const ringscope::Collective& facts = facts_of(what);
  if (facts.after == Held::chunks) index += static_cast<std::size_t>(rank) * part;
  if (facts.sums) return sum_of(ranks, index);
  if (facts.before == Held::chunks) return item_of(static_cast<int>(index / part), index % part);
  return item_of(0, index);
}

void check(Collective what, const Ranks& ranks, std::size_t items) {
  const auto count = static_cast<std::size_t>(ranks.count());
  const Held after = facts_of(what).after;
  const std::size_t mine = after == Held::chunks ? items / count : items;
  const int checked = after == Held::root ? 1 : ranks.count();
  for (int rank = 0; rank < checked; ++rank) {
    const std::vector<float> got = ranks.result(rank, mine);
    for (std::size_t i = 0; i < mine; ++i) {
      const float expected = expected_at(what, ranks.count(), rank, items, i);
      if (got[i] != expected)
        refuse_result(std::string(name_of(what)), rank, i, got[i], expected, "");
    }
  }
}

/// Placement and job that `validate` predicts.
Json scenario_of(Collective what, const Ranks& ranks, std::size_t bytes) {
  Json placement = Json::array();
  for (const CollectiveRank& rank : ranks.all())
    placement.push_back({{"host", 0}, {"gpu", rank.gpu}});
  return {{"placement", std::move(placement)},
          {"job",
           {{"collective", name_of(what)},
            {"algorithm", facts_of(what).nccl},
            {"bytes", fmt::format("{} B", bytes)}}}};
}

std::string point_name(Collective what, int ranks, std::size_t bytes) {
  return fmt::format("{}, {} ranks, {}", name_of(what), ranks, to_short_text(Bytes{bytes}));
}

Json entry_of(Collective what, const Ranks& ranks, std::size_t bytes,
              const std::vector<double>& samples_s, std::string_view stopped_by) {
  const Json parameters = {
      {"bytes", bytes},   {"collective", name_of(what)},
      {"algorithm", ""},  {"ranks_count", ranks.count()},
      {"hosts_count", 1}, {"placement", fmt::format("{} listed", ranks.count())}};
  Json entry = {{"name", point_name(what, ranks.count(), bytes)},
                {"scenario", scenario_of(what, ranks, bytes)}};
  entry.update(measurement_json(name_of(what), parameters, samples_s));
  entry["stopped_by"] = stopped_by;
  return entry;
}

Json measure(Gpus& gpus, CollectiveGroup& group, const Ranks& ranks, Collective what,
             std::size_t items, const CollectiveOptions& options) {
  ranks.fill(items);
  std::vector<double> samples_s;
  const auto once = [&](bool warmup) {
    const double start_s = gpus.now();
    group.start(what, items);
    ranks.finish();
    if (!warmup) samples_s.push_back(gpus.now() - start_s);
  };
  const std::string_view why = repeat(
      options.repetitions, samples_s, [&gpus] { return gpus.now(); }, once);
  check(what, ranks, items);
  return entry_of(what, ranks, items * sizeof(float), samples_s, why);
}

}  // namespace

CollectiveResults measure_collectives(Gpus& gpus, CollectiveLibrary& library,
                                      const CollectiveOptions& options) {
  CollectiveResults results;
  const std::uint64_t largest = *std::ranges::max_element(options.sizes);
  for (const int count : options.ranks) {
    options.begin(fmt::format("{} ranks join", count));
    const Ranks ranks(gpus, count, largest);
    std::unique_ptr<CollectiveGroup> group;
    try {
      group = library.join(ranks.all());
    } catch (const GpuError& error) {
      results.refused.push_back(
          {{"ranks", count}, {"gpus", std::min(count, gpus.count())}, {"why", error.what()}});
      continue;
    }
    for (const Collective what : options.what)
      for (const std::uint64_t bytes : options.sizes) {
        // Each rank has a part of the same size.
        const auto parts = static_cast<std::size_t>(count);
        const std::size_t items = std::max(bytes / sizeof(float) / parts, std::size_t{1}) * parts;
        if (items * sizeof(float) > largest) continue;
        options.begin(point_name(what, count, bytes));
        results.measurements.push_back(measure(gpus, *group, ranks, what, items, options));
      }
  }
  return results;
}

}  // namespace ringscope::cuda
