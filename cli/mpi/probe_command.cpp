// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "cli/mpi/job.hpp"
#include "cli/replays/measuring.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/input/input.hpp"
#include "validation/executors/mpi/clock.hpp"
#include "validation/executors/mpi/probes/bench.hpp"
#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

struct ProbeArguments {
  std::vector<std::string> only, sizes, ways;
  BenchOptions bench;
  JobOptions job;
  bool threads = false, plan = false;
};

/// Indices into probes: those asked for, or all that can run.
std::set<std::size_t> chosen_probes(const ProbeArguments& arguments) {
  const std::vector<std::string> names = each_of<std::string>(std::span(probes), &Probe::name);
  std::set<std::size_t> indices = chosen_indices(arguments.only, names, "probe");
  if (arguments.threads) return indices;
  for (const std::string& name : arguments.only)
    if (name == threads_probe)
      option_word("--only", name).fail("this probe needs MPI_THREAD_MULTIPLE: add --threads");
  std::erase_if(indices, [&](std::size_t i) { return names[i] == threads_probe; });
  return indices;
}

void check_ways(const ProbeArguments& arguments) {
  const std::vector<std::string> ways = {"self", "shm", "network"};
  for (const std::string& way : arguments.ways) option_word("--way", way).one_of("way", ways);
}

/// Series on the network last: they take what time the others have left.
std::vector<std::size_t> cheap_first(const std::vector<Series>& plan) {
  std::vector<std::size_t> order = numbers_below<std::size_t>(plan.size());
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return plan[i].team.way != "network"; });
  return order;
}

/// Number of series of each probe, and at most how long they take.
void print_plan(const std::vector<Series>& plan, const ProbeArguments& arguments,
                const std::vector<std::string>& hosts) {
  const double budget_s = arguments.bench.budget_s;
  fmt::print("{} on {}: {} series in at most {:.1f} min, of {}\n", plural(hosts.size(), "rank"),
             plural(std::set(hosts.begin(), hosts.end()).size(), "host"), plan.size(),
             budget_s / 60,
             arguments.bench.sizes.empty() ? "the usual sizes"
                                           : plural(arguments.bench.sizes.size(), "size"));
  for (const Probe& probe : probes) {
    std::vector<Series> own;
    std::ranges::copy_if(plan, std::back_inserter(own), [&](const Series& one) {
      return one.name.starts_with(fmt::format("{},", probe.name));
    });
    if (!own.empty())
      fmt::print("  {:15} {:2} series {:6.1f} s  {}\n", probe.name, own.size(),
                 budget_s * weight_of(own) / weight_of(plan), probe.summary);
  }
}

Bench::Results run_plan(const std::vector<Series>& plan, const ProbeArguments& arguments,
                        int rank) {
  Bench bench(MPI_COMM_WORLD, arguments.bench, weight_of(plan));
  std::unique_ptr<ProgressBar> progress;
  if (rank == 0) progress = std::make_unique<ProgressBar>("", ProgressBar::Redraw::when_shown);
  double done = 0;
  for (const std::size_t i : cheap_first(plan)) {
    if (progress) progress->show(done++ / static_cast<double>(plan.size()));
    const Watchdog watchdog(Seconds(arguments.job.timeout_s), rank,
                            [&bench] { return bench.place(); });
    bench.run(plan[i], static_cast<int>(i));
  }
  return bench.results();
}

void probe_job(const ProbeArguments& arguments, const std::set<std::size_t>& chosen) {
  const int rank = rank_of(MPI_COMM_WORLD);
  Provenance where = provenance_of_job(arguments.job);
  where.start = "a barrier of the ranks that take part";
  where.warmups = 1;
  Layout layout(MPI_COMM_WORLD, where.hosts, arguments.ways);
  std::vector<Series> plan;
  for (const std::size_t i : chosen)
    for (Series& series : probes[i].plan(layout)) plan.push_back(std::move(series));
  if (rank == 0)
    for (const std::string& way : layout.missing_ways())
      fmt::print(stderr, "no two ranks reach each other by {}: omitted\n", way);
  if (arguments.plan) {
    if (rank == 0) print_plan(plan, arguments, where.hosts);
    return;
  }
  const CpuWatch watch;
  Bench::Results results = run_plan(plan, arguments, rank);
  where.foreign = watch.foreign(MPI_COMM_WORLD);
  if (rank != 0) return;
  for (const std::string& note : results.left_out) fmt::print(stderr, "{}\n", note);
  const std::string disturbed = where.foreign ? foreign_load_text(*where.foreign) : "";
  if (!disturbed.empty()) fmt::print(stderr, "{}\n", disturbed);
  write_document(arguments.job.output, "probes", where, std::move(results.measurements));
}

void probe_command(ProbeArguments& arguments) {
  const std::set<std::size_t> chosen = chosen_probes(arguments);
  arguments.bench.sizes = sizes_of("--sizes", arguments.sizes,
                                   {.most = 1 << 30, .expected = "a size from 1 B to 1 GiB"});
  check_ways(arguments);
  start_mpi(arguments.threads);
  check(arguments.job);
  probe_job(arguments, chosen);
  MPI_Finalize();
}

std::string footer() {
  return probes_text(probes, 15) +
         "\nTwo ranks on each of two hosts are enough for all probes:\n"
         "  mpirun -n 4 --map-by ppr:2:node ringscope-mpi probe -o probes.json\n"
         "Under --threads every call takes locks: run the probe \"threads\" in a separate job.";
}

}  // namespace

void add_probe(Command& program, const std::string& command) {
  auto [probe, arguments] = program.add_subcommand("probe", probe_command);
  arguments.job.command = command;
  arguments.job.timeout_s = 120;
  add_job_options(probe, arguments.job);
  probe.add_option("--only", arguments.only).separated_by(',');
  probe.add_option("--sizes", arguments.sizes).separated_by(',');
  probe.add_option("--way", arguments.ways).separated_by(',');
  add_bench_options(probe, arguments.bench);
  probe.add_flag("--threads", arguments.threads);
  probe.add_flag("--plan", arguments.plan);
  probe.footer(footer());
}

}  // namespace ringscope::mpi
