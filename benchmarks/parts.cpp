// SPDX-License-Identifier: LGPL-2.1-or-later
// The speed of single parts, with Google Benchmark: what a change to one of them gains, in seconds.
#include <benchmark/benchmark.h>

#include "benchmarks/bare_ring.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/estimate/nccl_scenario.hpp"
#include "sim/estimate/nccl_times.hpp"
#include "sim/machine/ledger.hpp"
#include "topologies/graph/route_cache.hpp"

namespace ringscope::benchmarks {
namespace {

/// Time per message, which should not grow with the number of ranks.
void bare_ring(benchmark::State& state) {
  std::int64_t messages = 0;
  for ([[maybe_unused]] auto _ : state) {
    BareRing ring(static_cast<std::size_t>(state.range(0)), "fluid");
    ring.run();
    messages += static_cast<std::int64_t>(ring.messages());
  }
  state.SetItemsProcessed(messages);
}
BENCHMARK(bare_ring)->RangeMultiplier(4)->Range(16, 1024)->Unit(benchmark::kMillisecond);

NcclTimes times_of(const char* cluster) {
  return NcclTimes(nccl_scenario({.cluster = named_value("cluster", cluster),
                                  .collective = named_value("collective", "allreduce"),
                                  .ranks = named_value("ranks", ""),
                                  .library = named_value("library", ""),
                                  .placement = named_value("placement", "")}));
}

/// Time of a table of NCCL's times from 8 B to 16 GiB, and of a query.
void nccl_table(benchmark::State& state) {
  NcclTimes times = times_of("h100_nvswitch");
  for ([[maybe_unused]] auto _ : state) times.build_table({});
  state.counters["points"] = times.points();
}
BENCHMARK(nccl_table)->Unit(benchmark::kMillisecond)->Iterations(1);

void nccl_query(benchmark::State& state) {
  NcclTimes times = times_of("a100x4_nvlink");
  times.build_table({});
  std::uint64_t bytes = 8;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(times.at(bytes));
    bytes = bytes * 3 % (std::uint64_t{1} << 34) + 1;
  }
}
BENCHMARK(nccl_query)->Unit(benchmark::kMicrosecond);

void nothing(void*, std::uint64_t) {}

/// As many activities over one link as one instant starts and another ends.
void flights_at_one_instant(benchmark::State& state) {
  const auto flights = state.range(0);
  for ([[maybe_unused]] auto _ : state) {
    const auto kernel = sim::make_kernel("fluid");
    sim::Ledger ledger(*kernel);
    const int link = ledger.add({{"link"}, ResourceKind::link, 1e9});
    const sim::Use use[] = {{link, 1}};
    for (std::int64_t i = 0; i < flights; ++i) ledger.start(1e6, use, {nothing, nullptr, 0});
    kernel->run();
  }
  state.SetItemsProcessed(state.iterations() * flights);
}
BENCHMARK(flights_at_one_instant)->RangeMultiplier(8)->Range(8, 4096);

Cluster fat_tree() {
  return read_cluster(
      Value::from_text("benchmark",
                       "{network: fat_tree, k: 32, link: {bandwidth: 100 Gbit/s, latency: 1 us}, "
                       "host: {type: simple, cores: 8}}"));
}

/// Routes between 64 hosts of different pods of a fat tree of 8,192, by a search each or with those
/// kept.
void routes(benchmark::State& state, bool keep) {
  constexpr std::size_t stride = 128, count = 64;
  const Cluster cluster = fat_tree();
  const auto hosts = cluster.topology.hosts();
  RouteCache known(cluster.topology.graph(), hosts);
  std::size_t i = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Host& from = hosts[i % count * stride];
    const Host& to = hosts[(i % count + 1 + i / count % (count - 1)) % count * stride];
    benchmark::DoNotOptimize(cluster.topology.route(from.numa_domains[0], to.numa_domains[0], i,
                                                    keep ? &known : nullptr));
    ++i;
  }
}
BENCHMARK_CAPTURE(routes, searched, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(routes, kept, true)->Unit(benchmark::kMicrosecond);

void reading_of_65536_ranks(benchmark::State& state) {
  const std::vector<Override> overrides = {
      {"cluster",
       "{network: fat_tree, k: 32, link: {bandwidth: 100 Gbit/s, latency: 1 us}, "
       "host: {type: simple, cores: 8}}"},
      {"placement", "8x8192"}};
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(read_scenarios("02-ring-of-8", overrides));
}
BENCHMARK(reading_of_65536_ranks)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ringscope::benchmarks

BENCHMARK_MAIN();
