// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/study_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "cli/terminal/failure.hpp"

namespace ringscope {
namespace {

class Variables {
 public:
  explicit Variables(Variable variable) : variable_(variable) {}

  bool has(const char* name) const { return variable_(name) != nullptr; }
  std::size_t number(const char* name) const {
    const auto number = whole_number(variable_(name));
    if (!number || *number < 0)
      throw BadInput(
          "{}={}: expected a whole number from the launcher; set the shard with --shard 3/16", name,
          variable_(name));
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
Launch launch(const Variables& environment, const char* rank, const char* size, int local_size) {
  const std::size_t number = environment.number(rank), count = environment.number(size);
  if (number >= count)
    throw BadInput(
        "{}={} and {}={}: expected a rank below the number of processes; set the shard with "
        "--shard 3/16",
        rank, number, size, count);
  return {{number + 1, count}, local_size, fmt::format("{} and {}", rank, size)};
}

/// srun sets SLURM_STEP_NUM_TASKS; the batch script has SLURM_PROCID=0 whatever SLURM_NTASKS is.
std::optional<Launch> slurm_step(const Variables& environment, bool asked) {
  if (!environment.has("SLURM_PROCID")) return {};
  const bool step = environment.has("SLURM_STEP_NUM_TASKS");
  const bool pmi =
      environment.has("PMIX_RANK") || environment.has("PMI_RANK") || environment.has("PMI_FD");
  const char* size = step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  if (!environment.has(size) || !(step || pmi || asked)) return {};
  return launch(environment, "SLURM_PROCID", size, environment.tasks_here("SLURM_TASKS_PER_NODE"));
}

std::optional<Launch> slurm_array(const Variables& environment) {
  if (!environment.has("SLURM_ARRAY_TASK_ID") || !environment.has("SLURM_ARRAY_TASK_COUNT"))
    return {};
  const std::size_t id = environment.number("SLURM_ARRAY_TASK_ID"),
                    count = environment.number("SLURM_ARRAY_TASK_COUNT"),
                    least = environment.number("SLURM_ARRAY_TASK_MIN", 1),
                    step = std::max<std::size_t>(1, environment.number("SLURM_ARRAY_TASK_STEP", 1));
  if (id < least || (id - least) % step != 0 || (id - least) / step >= count)
    throw BadInput(
        "SLURM_ARRAY_TASK_ID={}: is none of {} numbers from {} on in steps of {}; submit an even "
        "array such as --array=1-16, or set the shard with --shard 3/16",
        id, count, least, step);
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

constexpr int most_shards = 1'000'000;  // as many as a study may have points
constexpr const char* teaching = "--store part-{shard}.sqlite";

/// Reads --shard.
Shard parsed(const std::string& text) {
  const Value word = option_word("--shard", text);
  const auto slash = text.find('/');
  const auto number = whole_number(text.substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : whole_number(text.substr(slash + 1));
  if (!number || !count) word.fail("expected I/N such as 3/16, 'auto' or 'none', got '{}'", text);
  if (*count < 1 || *count > most_shards)
    word.fail("expected from 1 to {} shards, got {}", most_shards, *count);
  if (*number < 1)
    word.fail("shards are counted from 1: the first of {0} is 1/{0}, the last {0}/{0}", *count);
  if (*number > *count)
    word.fail("there are {0} shards, and no {1}: the first is 1/{0}, the last {0}/{0}", *count,
              *number);
  return {static_cast<std::size_t>(*number), static_cast<std::size_t>(*count)};
}

/// Fills in {shard} and {shards}; nothing else may stand in braces.
std::string filled_in(const std::string& store, const Shard& shard) {
  const std::vector<std::string> names = {"shard", "shards"};
  std::string filled;
  for (std::size_t at = 0; at < store.size();) {
    const std::size_t open = store.find('{', at), close = store.find('}', open);
    filled += store.substr(at, close == std::string::npos ? close : open - at);
    if (close == std::string::npos) break;
    const std::string name = store.substr(open + 1, close - open - 1);
    if (name != names[0] && name != names[1])
      option_word("--store", store).fail(unknown_name("placeholder", name, names));
    filled += std::to_string(name == names[0] ? shard.number : shard.count);
    at = close + 1;
  }
  return filled;
}

/// Where a launcher names the shards, one command line is all of theirs.
void require_own_store(const StudyOptions& options, const std::optional<Launch>& launch) {
  const std::string shard = text_of(*options.part);
  const std::string who =
      launch ? fmt::format("this is shard {}, according to {}", shard, launch->names)
             : fmt::format("this is shard {}", shard);
  const std::string hint =
      launch ? "; '--shard none' does the whole study in this process" : std::string();
  if (options.no_store)
    throw BadInput("--no-store: {}: it keeps its results for 'ringscope merge': {}{}", who,
                   teaching, hint);
  if (options.store.empty())
    throw BadInput("{}, and has no store: name one for each, which 'ringscope merge' reads: {}{}",
                   who, teaching, hint);
  if (launch && options.part->count > 1 && options.store.find("{shard}") == std::string::npos)
    option_word("--store", options.store)
        .fail("{}: {} shards would write to one file; name one for each: {}{}", who,
              options.part->count, teaching, hint);
}

}  // namespace

std::optional<Launch> launch_of(Variable variable, bool asked) {
  const Variables environment(variable);
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

void settle_shard(StudyOptions& options, Variable variable) {
  const bool asked = options.shard == "auto";
  std::optional<Launch> launch;
  if (asked || options.shard.empty()) launch = launch_of(variable, asked);
  if (asked && !launch)
    option_word("--shard", options.shard)
        .fail(
            "no launcher has started this process: expected OMPI_COMM_WORLD_RANK and _SIZE, "
            "SLURM_PROCID and SLURM_NTASKS, SLURM_ARRAY_TASK_ID and _COUNT, or PMI_RANK and "
            "PMI_SIZE in the environment; or --shard 3/16");
  if (!asked && launch && launch->process.count == 1) launch.reset();
  if (launch) {
    options.part = launch->process;
    options.processes_here = launch->local_size;
  } else if (!options.shard.empty() && options.shard != "none") {
    options.part = parsed(options.shard);
  }
  if (options.part) {
    require_own_store(options, launch);
    options.store = filled_in(options.store, *options.part);
  } else if (options.store.find("{shard") != std::string::npos) {
    option_word("--store", options.store)
        .fail("there is no shard to name the file by: name it, such as --shard 3/16");
  }
}

void settle_shard(StudyOptions& options) {
  settle_shard(options, [](const char* name) -> const char* { return std::getenv(name); });
}

void refuse_answers(const StudyOptions& options,
                    const std::vector<std::pair<std::string, std::string>>& answers,
                    const std::string& command) {
  if (!options.part) return;
  for (const auto& [option, text] : answers)
    if (!text.empty())
      throw BadInput(
          "{}: shard {} is a part of the answer; for all of it run 'ringscope merge part-*.sqlite "
          "-o all.sqlite' and then 'ringscope {} ... --store all.sqlite {} {}'",
          option, text_of(*options.part), command, option, text);
}

}  // namespace ringscope
