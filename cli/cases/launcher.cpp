// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "cli/terminal/failure.hpp"
#include "topologies/placement/slots.hpp"

namespace ringscope {
namespace {

class Environment {
 public:
  explicit Environment(Variable variable) : variable_(variable) {}

  bool has(const char* name) const { return variable_(name) != nullptr; }
  std::size_t number(const char* name) const {
    const auto number = whole_number(variable_(name));
    if (!number || *number < 0)
      throw Failure(ExitCode::bad_input,
                    fmt::format("{}={}: expected a whole number, as a launcher sets it; say which "
                                "shard this is by --shard 3/16",
                                name, variable_(name)));
    return static_cast<std::size_t>(*number);
  }
  std::size_t number(const char* name, std::size_t otherwise) const {
    return has(name) ? number(name) : otherwise;
  }
  /// "4(x2),3" begins with how many tasks this node has, or one like it.
  int tasks_here(const char* name) const {
    return has(name) ? std::max(1, std::atoi(variable_(name))) : 1;
  }

 private:
  Variable variable_;
};

/// Launchers count from 0.
Launch launch(const Environment& environment, const char* rank, const char* size, int local_size) {
  const std::size_t number = environment.number(rank), count = environment.number(size);
  if (number >= count)
    throw Failure(ExitCode::bad_input,
                  fmt::format("{}={} and {}={}: expected a rank below the number of processes; say "
                              "which shard this is by --shard 3/16",
                              rank, number, size, count));
  return {{number + 1, count}, local_size, fmt::format("{} and {}", rank, size)};
}

/// srun sets SLURM_STEP_NUM_TASKS; the batch script has SLURM_PROCID=0 whatever SLURM_NTASKS is.
std::optional<Launch> slurm_step(const Environment& environment, bool asked) {
  if (!environment.has("SLURM_PROCID")) return {};
  const bool step = environment.has("SLURM_STEP_NUM_TASKS");
  const bool pmi =
      environment.has("PMIX_RANK") || environment.has("PMI_RANK") || environment.has("PMI_FD");
  const char* size = step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  if (!environment.has(size) || !(step || pmi || asked)) return {};
  return launch(environment, "SLURM_PROCID", size, environment.tasks_here("SLURM_TASKS_PER_NODE"));
}

std::optional<Launch> slurm_array(const Environment& environment) {
  if (!environment.has("SLURM_ARRAY_TASK_ID") || !environment.has("SLURM_ARRAY_TASK_COUNT"))
    return {};
  const std::size_t id = environment.number("SLURM_ARRAY_TASK_ID"),
                    count = environment.number("SLURM_ARRAY_TASK_COUNT"),
                    least = environment.number("SLURM_ARRAY_TASK_MIN", 1),
                    step = std::max<std::size_t>(1, environment.number("SLURM_ARRAY_TASK_STEP", 1));
  if (id < least || (id - least) % step != 0 || (id - least) / step >= count)
    throw Failure(
        ExitCode::bad_input,
        fmt::format("SLURM_ARRAY_TASK_ID={}: is none of {} numbers from {} on in steps of "
                    "{}; submit an even array such as --array=1-16, or say which shard "
                    "this is by --shard 3/16",
                    id, count, least, step));
  return Launch{
      {(id - least) / step + 1, count}, 1, "SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT"};
}

/// Each job of an array may start several processes.
Launch inside(const Launch& job, const Launch& process) {
  return {{(job.process.number - 1) * process.process.count + process.process.number,
           job.process.count * process.process.count},
          process.local_size,
          fmt::format("{}, {}", job.names, process.names)};
}

}  // namespace

std::optional<Launch> launch_of(Variable variable, bool asked) {
  const Environment environment(variable);
  const std::optional<Launch> array = slurm_array(environment);
  std::optional<Launch> process;
  if (environment.has("OMPI_COMM_WORLD_SIZE") && environment.has("OMPI_COMM_WORLD_RANK"))
    process = launch(environment, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                     environment.tasks_here("OMPI_COMM_WORLD_LOCAL_SIZE"));
  if (!process) process = slurm_step(environment, asked && !array);
  if (!process && environment.has("PMI_SIZE") && environment.has("PMI_RANK"))
    process =
        launch(environment, "PMI_RANK", "PMI_SIZE", environment.tasks_here("MPI_LOCALNRANKS"));
  if (array && process && process->process.count > 1) return inside(*array, *process);
  return array ? array : process;
}

int threads_here(int local_size) {
  // Cores that this process is bound to, or all.
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int all = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const bool bound = cores < all;
  return std::max(1, bound ? cores : cores / std::max(1, local_size));
}

}  // namespace ringscope
