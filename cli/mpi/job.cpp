// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/mpi/job.hpp"

#include <algorithm>
#include <cstdlib>

#include "cli/terminal/failure.hpp"

namespace ringscope::mpi {
namespace {

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string version(text, text + length);
  version = version.substr(0, version.find_first_of(",\n"));
  // MPICH separates its words by tabs.
  std::replace(version.begin(), version.end(), '\t', ' ');
  return version;
}

/// Variables by which launchers give their processes their number and rank. Slurm last: a launcher
/// inside one of its steps hands its variables on.
constexpr const char* launchers[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                        {"PMI_SIZE", "PMI_RANK"},
                                        {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

/// Throws Failure in the first of several processes that another MPI's launcher started, each of
/// which is alone in its job. The others end without a message.
void refuse_other_launcher() {
  const auto* found = std::ranges::find_if(
      launchers, [](const auto& names) { return std::getenv(names[0]) != nullptr; });
  if (found == std::end(launchers) || size_of(MPI_COMM_WORLD) > 1) return;
  const auto [size, rank] = *found;
  const int started = std::atoi(std::getenv(size));
  if (started < 2) return;
  if (const char* number = std::getenv(rank); number != nullptr && std::atoi(number) > 0) {
    MPI_Finalize();
    std::exit(static_cast<int>(ExitCode::ok));
  }
  throw BadInput(
      "a launcher started {} processes ({}), and each is alone in its own job: this program is "
      "linked with {}\n  expected the mpirun of that MPI (srun: one of srun --mpi=list), or the "
      "program for the other MPI (ringscope-mpich, ringscope-openmpi)",
      started, size, mpi_version());
}

}  // namespace

void add_job_options(Command& subcommand, JobOptions& options) {
  subcommand.add_option("-o,--output", options.output);
  subcommand.add_option("--link-bandwidth", options.link_bandwidth);
  subcommand.add_option("--emulated", options.emulated);
  subcommand.add_option("--timeout", options.timeout_s).show_default().above_zero();
}

void start_mpi(bool threads) {
  const int wanted = threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, wanted, &provided);
  if (provided < wanted) throw BadInput("this MPI library does not offer MPI_THREAD_MULTIPLE");
  refuse_other_launcher();
}

void check(const JobOptions& options) {
  const std::string& rate = options.link_bandwidth;
  if (!rate.empty()) option_word("--link-bandwidth", rate).bandwidth();
  if (rank_of(MPI_COMM_WORLD) == 0) require_writable(options.output);
}

std::vector<std::string> hosts_of(MPI_Comm comm) {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  const auto ranks = static_cast<std::size_t>(size_of(comm));
  std::vector<char> names(ranks * sizeof name);
  MPI_Allgather(name, sizeof name, MPI_CHAR, names.data(), sizeof name, MPI_CHAR, comm);
  std::vector<std::string> hosts;
  for (std::size_t rank = 0; rank < ranks; ++rank) hosts.emplace_back(&names[rank * sizeof name]);
  return hosts;
}

Provenance provenance_of_job(const JobOptions& options) {
  Provenance where = provenance_here(options.command);
  where.hosts = hosts_of(MPI_COMM_WORLD);
  where.mpi = mpi_version();
  where.timer_s = reading_s(MPI_Wtime);
  where.link_bandwidth = options.link_bandwidth;
  where.emulated = options.emulated;
  return where;
}

}  // namespace ringscope::mpi
