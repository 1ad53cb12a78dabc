// SPDX-License-Identifier: LGPL-2.1-or-later
// CPU time of an MPI job's ranks and of their machines.
#pragma once

#include <mpi.h>

#include "validation/executors/measurement.hpp"

namespace ringscope::mpi {

/// Counts from its construction on, one in each rank.
class CpuWatch {
 public:
  CpuWatch();

  /// Load by others than the ranks of `job` so far; on rank 0, nullopt elsewhere and where a rank
  /// does not know it. Collective.
  std::optional<ForeignLoad> foreign(MPI_Comm job) const;

 private:
  double start_s_, own_s_;
  std::optional<MachineCpu> machine_;
};

}  // namespace ringscope::mpi
