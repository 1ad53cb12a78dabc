// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/cuda/open_gpus.hpp"
#include "cli/replays/measuring.hpp"
#include "cli/terminal/failure.hpp"
#include "validation/executors/cuda/probes/collective_bench.hpp"

namespace ringscope::cuda {
namespace {

using Json = nlohmann::ordered_json;

struct NcclArguments {
  std::string command, output = "-";
  std::vector<std::string> only, sizes;
  CollectiveOptions bench;
  double timeout_s = 60;
};

std::vector<Collective> chosen_collectives(const NcclArguments& arguments) {
  const std::vector<std::string> names(collective_names.begin(), collective_names.end());
  return each_of(chosen_indices(arguments.only, names, "collective"),
                 [](std::size_t i) { return collectives[i]; });
}

/// 4 KiB, 16 KiB, ... 256 MiB, where nobody said.
std::vector<std::uint64_t> chosen_sizes(const NcclArguments& arguments) {
  if (!arguments.sizes.empty())
    return sizes_of("--sizes", arguments.sizes,
                    {sizeof(float), std::uint64_t{1} << 34, 1, "a size from 4 B to 16 GiB"});
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = 4 << 10; bytes <= 256 << 20; bytes *= 4) sizes.push_back(bytes);
  return sizes;
}

void nccl_command(NcclArguments& arguments) {
  arguments.bench.what = chosen_collectives(arguments);
  arguments.bench.sizes = chosen_sizes(arguments);
  require_writable(arguments.output);
  const std::unique_ptr<Gpus> gpus = open_gpus();
  const std::unique_ptr<CollectiveLibrary> library = open_collectives(*gpus);
  // Two where there is one GPU only: so that the document has what the library says to that.
  if (arguments.bench.ranks.empty()) arguments.bench.ranks = {std::max(gpus->count(), 2)};
  std::optional<Watchdog> watchdog;
  arguments.bench.begin = [&](const std::string& point) {
    watchdog.emplace(Seconds(arguments.timeout_s), [point] { return point; });
  };
  const CollectiveResults results = measure_collectives(*gpus, *library, arguments.bench);
  watchdog.reset();
  for (const Json& one : results.refused)
    fmt::print(stderr, "{} ranks on {} GPUs are rejected: {}\n", one["ranks"].get<int>(),
               one["gpus"].get<int>(), one["why"].get<std::string>());
  Provenance where = provenance_on(*gpus, numbers_below(gpus->count()), arguments.command);
  where.mpi = library->version();
  where.warmups = arguments.bench.repetitions.warmups;
  Json document = measurement_document("replay", where, results.measurements);
  if (!results.refused.empty()) document["refused"] = results.refused;
  write_output(arguments.output, document.dump(2) + '\n');
}

}  // namespace

void add_nccl(Command& program, const std::string& command) {
  auto [nccl, arguments] = program.add_subcommand("nccl", nccl_command);
  arguments.command = command;
  nccl.add_option("-o,--output", arguments.output);
  nccl.add_option("--only", arguments.only).separated_by(',');
  nccl.add_option("--sizes", arguments.sizes).separated_by(',');
  nccl.add_option("--ranks", arguments.bench.ranks).separated_by(',').between(1, 1024);
  nccl.add_option("--timeout", arguments.timeout_s).show_default().above_zero();
  add_timing_options(nccl, arguments.bench.repetitions);
}

}  // namespace ringscope::cuda
