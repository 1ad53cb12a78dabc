#include "cli/cases/launch_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/terminal/failure.hpp"
#include "cli/terminal/output_file.hpp"
#include "topologies/placement/launch_files.hpp"

namespace ringscope {

// Ranks on GPUs are started by two files, or by torchrun.
void LaunchFiles::require_for(SlotKind slot_kind) const {
  const std::pair<const char*, const std::string*> files[] = {{"--rankfile", &rankfile},
                                                              {"--hostfile", &hostfile},
                                                              {"--slurm", &slurm},
                                                              {"--gpus", &gpus},
                                                              {"--torchrun", &torchrun}};
  for (const auto& [flag, file] : files) {
    if (file->empty()) continue;
    const bool of_gpus = file == &gpus || file == &torchrun;
    if (of_gpus && slot_kind != SlotKind::gpu)
      throw Failure(ExitCode::bad_input,
                    fmt::format("{}: the ranks are on cores and have no GPUs; they are placed on "
                                "them by --on gpu, or 'on: gpu' in the scenario's placement",
                                flag));
    if (!of_gpus && slot_kind == SlotKind::gpu && gpus.empty())
      throw Failure(ExitCode::bad_input,
                    fmt::format("{}: says the host of each rank, and not its GPU: add --gpus FILE, "
                                "a script that gives each rank its own, or take --torchrun FILE",
                                flag));
  }
}

void LaunchFiles::write(const Placement& placement, const Topology& topology) const {
  if (!rankfile.empty()) write_output(rankfile, ringscope::rankfile(placement, topology));
  if (!hostfile.empty()) write_output(hostfile, ringscope::hostfile(placement, topology));
  if (!slurm.empty()) write_output(slurm, slurm_hostfile(placement, topology));
  if (!gpus.empty()) write_output(gpus, gpu_script(placement, topology));
  if (torchrun.empty()) return;
  if (const auto script = torchrun_script(placement, topology)) write_output(torchrun, *script);
}

void LaunchFiles::require_written(const Placement& placement, const Topology& topology) const {
  if (torchrun.empty() || torchrun_script(placement, topology)) return;
  throw Failure(ExitCode::bad_input,
                "--torchrun: not written: torchrun numbers equally many ranks on each host, one "
                "host after the other, and the best placement does not; --order fixed and "
                "--whole-hosts ask for such ones, and --rankfile or --slurm with --gpus start any");
}

std::string LaunchFiles::lines(const Placement& placement, const Topology& topology) const {
  const std::size_t ranks = placement.ranks.size();
  const std::string program = gpus.empty() ? "PROGRAM" : fmt::format("sh {} PROGRAM", gpus);
  std::string text;
  if (!rankfile.empty())
    text += fmt::format("mpirun -n {} --rankfile {} {}\n", ranks, rankfile, program);
  if (!hostfile.empty()) text += fmt::format("mpiexec -n {} -f {} {}\n", ranks, hostfile, program);
  if (!slurm.empty())
    text += fmt::format("SLURM_HOSTFILE={} srun -n {} --distribution=arbitrary{} {}\n", slurm,
                        ranks, gpus.empty() ? "" : " --gpu-bind=none", program);
  if (!torchrun.empty() && torchrun_script(placement, topology))
    text += fmt::format("sh {} PROGRAM    # on every host\n", torchrun);
  return text;
}

}  // namespace ringscope
