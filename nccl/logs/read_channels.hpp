// SPDX-License-Identifier: LGPL-2.1-or-later
// Rings and trees that NCCL built in a run, from what it writes itself.
//
// Two kinds of text: the INFO lines of NCCL_DEBUG=INFO, which name ranks ("Channel 00/24 : 0 1 2
// 3", "Trees [0] 1/-1/-1->0->-1", "[send] via NET/IB/0"), and the file of NCCL_GRAPH_DUMP_FILE,
// XML, which names the GPUs and NICs of one host by their numbers.
#pragma once

#include <memory>
#include <span>

#include "nccl/search/job_channels.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

// NCCL's channels, as its INFO lines have them.

struct NcclLines {
  /// By channel, rank 0 first; of the first communicator with as many ranks.
  Table<Table<int>> rings;
  Table<Table<TreeEnds>> trees;          ///< none where a rank's line is not there
  Table<Table<nccl::ChannelNics>> nics;  ///< none where no line names a NIC
};

/// Throws InputError where there are no rings of `ranks` ranks, or a ring does not hold each once.
NcclLines read_nccl_lines(const std::shared_ptr<const Source>& source, int ranks);

// The channels of a run.

/// Channels as nccl::find_channels() would find them, for ranks on these GPUs. Lines without trees
/// leave the trees out, lines that name no NICs the NICs. A graph file holds for every host.
/// `of_host` is asked for what lines leave out. Throws InputError.
nccl::JobChannels read_channels(const std::shared_ptr<const Source>& source,
                                const Topology& topology, std::span<const nccl::GpuPlace> ranks,
                                const nccl::FindOfHost& of_host = nccl::channels_of_host);

/// The text of a file, at a `path` as the one who says it means it.
std::shared_ptr<const Source> channels_source(const Value& path);

}  // namespace ringscope
