// SPDX-License-Identifier: LGPL-2.1-or-later
// NCCL's channels, as its INFO lines have them.
#pragma once

#include <memory>

#include "nccl/search/job_channels.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

struct NcclLines {
  /// By channel, rank 0 first; of the first communicator with as many ranks.
  Table<Table<int>> rings;
  Table<Table<TreeEnds>> trees;          ///< none where a rank's line is not there
  Table<Table<nccl::ChannelNics>> nics;  ///< none where no line names a NIC
};

/// Throws InputError where there are no rings of `ranks` ranks, or a ring does not hold each once.
NcclLines read_nccl_lines(const std::shared_ptr<const Source>& source, int ranks);

}  // namespace ringscope
