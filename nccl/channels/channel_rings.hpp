// SPDX-License-Identifier: LGPL-2.1-or-later
// Rings of a kernel's channels: each block of threads takes its part of the vectors round a ring of
// its own, in pieces of as much as the protocol's buffers hold.
//
// Source: NCCL 2.30.7, src/device/common.h; src/enqueue.cc, scheduleCollTasksToPlan.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/verbs/group.hpp"
#include "algorithms/verbs/range.hpp"
#include "base/table.hpp"

namespace ringscope {

// Division of a vector among the channels of a kernel, and of a channel's part into rounds.

/// Parts of the channels, in whole cells, so that some channels may get fewer than others and the
/// last of them none. `traffic`: items that NCCL charges for each item on a rank's links: 2 of an
/// allreduce, the ranks of an allgather's or a reduce-scatter's chunk, else 1. Source: NCCL 2.30.7,
/// src/enqueue.cc, scheduleCollTasksToPlan.
std::vector<Range> channel_parts(Range data, Protocol protocol, int channels, int traffic,
                                 std::size_t item_bytes);

// Channels of a kernel that do the same, of which executors that have no data perform one for all.
//
// Two channels that carry as much along one order over one way may change places, and nothing else
// changes, whatever runs beside them: so they have the same times.

/// For how many channels each is performed: itself and those like it; 0 where an earlier one is
/// performed for it. `parts`: theirs of the vector; `kinds`: numbers that differ where channels
/// with parts of one size do other things, by channel; none: they never do.
std::vector<int> performed_for(Communicator comm, const std::vector<Range>& parts,
                               const std::vector<int>& kinds, const Options& options);

// The rings.

/// A channel as one of its ranks sees it.
struct ChannelRing {
  Range part;  ///< its share, of the vector or of each rank's chunk
  Range slot;  ///< room in scratch for what it receives and does not keep
  Block block;
  Table<int> order;  ///< ranks, behind the last of which comes the first
  int position = 0;  ///< of this rank

  /// Rank `places` steps ahead in the ring.
  int rank(int places) const;
  int prev() const { return rank(-1); }
  int next() const { return rank(1); }
};

/// Program of the blocks of one channel; `data` is a rank's whole vector.
using ChannelProgram = Task (*)(Communicator block, ChannelRing ring, Range data, Options options);

/// Items of scratch that a channel needs for `part` items.
using SlotItems = std::size_t (*)(int ranks, std::size_t part, const Options& options);
inline std::size_t no_slot(int, std::size_t, const Options&) { return 0; }

/// Runs the program in each of `parts`' channels at once. With fewer SMs than channels an SM takes
/// one after the other. `slices`: of a chunk by Simple, see ring_slices.
Task in_channels(Communicator comm, Workspace work, Table<Range> parts, SlotItems slot,
                 ChannelProgram program, Options options, int slices = 1);

/// Slices of a chunk by Simple in rings of an allreduce, an allgather and a reduce-scatter; others
/// have one. Source: NCCL 2.30.7, src/include/collectives.h, four steps a chunk, two a slice.
inline constexpr int ring_slices = 2;

/// Items of scratch that in_channels needs; one rank needs none.
std::size_t slots_of(int ranks, const std::vector<Range>& parts, SlotItems slot,
                     const Options& options);

/// Threads of a rank, one for each SM that has channels.
int channel_threads(const Options& options);

/// Parts that a collective's channels take of a vector, or of each of the ranks' chunks.
using ChannelParts = std::vector<Range> (*)(int ranks, Range data, const Options& options);

/// A collective that runs the program in these parts.
template <ChannelParts parts, ChannelProgram program, SlotItems slot, int slices = 1>
Algorithm in_channel_parts(std::string_view collective, std::string_view name,
                           std::string_view summary, decltype(Algorithm::cost) cost) {
  return {
      .collective = collective,
      .name = name,
      .summary = summary,
      .options = {"protocol", "channels", "sms"},
      .threads_for = channel_threads,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return in_channels(comm, work, parts(comm.size(), work.data, options), slot, program,
                               options, slices);
          },
      .cost = cost,
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return slots_of(ranks, parts(ranks, {.size = items}, options), slot, options);
          },
      .varies = Varies::steps,
  };
}

/// A part in pieces of `most` items, the last of which may be shorter. Requires most >= 1.
std::vector<Range> pieces_of(Range part, std::size_t most);

/// The piece of a rank's chunk, from whose begin its offset is counted; chunks may differ by an
/// item.
Range piece_of(Range chunk, Range piece);

/// Pieces of all parts together.
std::int64_t count_pieces(const std::vector<Range>& parts, std::size_t most);

/// Orders that are given are the same, seen from each host.
bool channels_move_with_hosts(int ranks, std::size_t items, const Options& options);

}  // namespace ringscope
