// The files that start the best placement.
#pragma once

#include <string>
#include <vector>

#include "topologies/placement/placement.hpp"
#include "topologies/placement/search/symmetry.hpp"

namespace ringscope {

/// Names of the files to write, "": none.
struct LaunchFiles {
  std::string rankfile, hostfile, slurm, gpus, torchrun;

  std::vector<std::string> all() const { return {rankfile, hostfile, slurm, gpus, torchrun}; }
  /// Throws Failure where ranks in such slots are not started by these alone.
  void require_for(SlotKind slot_kind) const;
  void write(const Placement& placement, const Topology& topology) const;
  /// Throws Failure for the file that cannot say this placement: when all else is written.
  void require_written(const Placement& placement, const Topology& topology) const;
  /// The commands that start the ranks by these files, one a line.
  std::string lines(const Placement& placement, const Topology& topology) const;
};

}  // namespace ringscope
