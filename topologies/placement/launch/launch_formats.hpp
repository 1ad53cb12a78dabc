// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that start the ranks of a placement: every format by its name.
#pragma once

#include "topologies/placement/placement.hpp"

namespace ringscope {

/// A placement that is to be started.
struct LaunchTask {
  const Placement& placement;
  const Topology& topology;
  std::string groups{};    ///< order of the job's groups, which numbers the ranks; "": it has none
  std::string gpu_file{};  ///< file that gives each rank its GPU, where it is written too
  std::set<int> shared{};  ///< hosts with GPUs that background jobs use
};

/// True if a background job uses GPUs of a host of the placement.
bool shares_gpus(const LaunchTask& launch);

/// True if ranks use some of a host's GPUs and not all, or beside a background job. A container or
/// an allocation with some of a host's GPUs numbers them from 0, so their numbers on the host do
/// not apply there.
bool takes_parts(const LaunchTask& launch);

/// Parts of a placement that a file says: of ranks on GPUs the host alone is not enough.
enum class LaunchSays { host, gpu, host_and_gpu };

struct LaunchFormat {
  std::string_view name;   ///< its flag, without dashes
  std::string_view about;  ///< what `--help` says
  LaunchSays says = LaunchSays::host;
  std::optional<std::string> (*make)(const LaunchTask& launch);
  std::string_view start;     ///< format of the command; "": the file is no command's
  std::string_view cannot{};  ///< why there may be none, and what says it instead
  bool has_flag = true;       ///< false: only `--format` names it

  /// The file; none where the format cannot say this placement. Throws InputError where a host of
  /// the placement has a name that no host may have: files hold names as they are.
  std::optional<std::string> text(const LaunchTask& launch) const;
  /// The command that starts the ranks by that file; "": it is no command's.
  std::string command(const LaunchTask& launch, const std::string& file) const;
};

/// All formats, in the order of `--help`.
std::span<const LaunchFormat> launch_formats();

std::optional<std::string> rank_map(const LaunchTask& launch);
std::optional<std::string> volcano_job(const LaunchTask& launch);
std::optional<std::string> topology_assignment(const LaunchTask& launch);
std::optional<std::string> sbatch_script(const LaunchTask& launch);
std::optional<std::string> jobset(const LaunchTask& launch);

/// The switches to which the first NIC of a host is connected.
std::set<Vertex> leaf_switches(const Topology& topology, int host);

/// Names of the hosts between commas, in the order of their first ranks.
std::string host_list(const LaunchTask& launch);

}  // namespace ringscope
