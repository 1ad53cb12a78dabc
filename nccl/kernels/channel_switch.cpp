// SPDX-License-Identifier: LGPL-2.1-or-later
// Switches that work for a kernel's channels: allgather and reduce-scatter.
#include "nccl/channels/switch_channel.hpp"

namespace ringscope {
namespace {

// Allgather by the switch that joins the GPUs of a host and can copy (NVLink SHARP, NCCL's NVLS):
// every rank sends its chunk once, piece by piece, and the switch copies it to all others.
//
// Source: NCCL 2.30.7, src/device/all_gather.h, NCCL_ALGO_NVLS. Where no switch copies, as on MPI
// or by the loopback executor, each rank gets a message. Cost: switch_channel.hpp.

using Requests = std::vector<Request>;

/// A piece of the rank's chunk to all others, and the same of theirs.
Requests start_copies(Communicator copying, Chunks chunk, Range piece, int tag) {
  const int self = copying.rank();
  Requests all;
  for (int other = 0; other < copying.size(); ++other) {
    if (other == self) continue;
    all.push_back(copying.isend(piece_of(chunk[self], piece), other, tag));
    all.push_back(copying.irecv(piece_of(chunk[other], piece), other, tag));
  }
  return all;
}

Task copy_all(Communicator block, ChannelRing channel, Range data, Options options) {
  const int size = block.size(), tag = channel.block.channel;
  const Communicator copying = by_switch(block, channel.block, Switch::copies, size - 1);
  const std::vector<Range> pieces = pieces_of(channel.part, switch_piece(size, data.size, options));
  std::vector<Requests> rounds;
  for (int step : block.phase("copy", static_cast<int>(pieces.size() + rounds_ahead))) {
    const auto round = static_cast<std::size_t>(step);
    if (round < pieces.size())
      rounds.push_back(start_copies(copying, Chunks(data, size), pieces[round], tag));
    if (round >= rounds_ahead) co_await block.wait_all(rounds[round - rounds_ahead]);
  }
}

// Reduce-scatter by the switch that joins the GPUs of a host and can add up (NVLink SHARP, NCCL's
// NVLS): every rank offers all others their chunks, piece by piece, and the switch adds up on the
// way what is for one of them.
//
// Source: NCCL 2.30.7, src/device/reduce_scatter.h, NCCL_ALGO_NVLS. Where no switch adds up, as on
// MPI or by the loopback executor, each rank gets all parts and adds them up itself. Cost:
// switch_channel.hpp.

constexpr std::size_t in_flight = rounds_ahead + 1;  ///< rounds

/// A round that is in flight: what comes, and where it is added.
struct Offers {
  std::vector<Request> requests;
  Table<Range> received;
  Range sum;
};

/// Places in the slot for the others' parts in a round, which a later one takes over.
std::vector<Range> places(Range slot, const std::vector<Range>& pieces, std::size_t round,
                          int others) {
  const std::size_t same = round % in_flight, each = pieces[same].size;
  const std::size_t before = pieces.front().size * same * static_cast<std::size_t>(others);
  std::vector<Range> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(others); ++i)
    all.push_back({slot.buffer, slot.offset + before + i * each, each});
  return all;
}

/// A piece of their chunk to all others, and the same of one's own from them into `places`.
Offers start_offers(Communicator adding, Chunks chunk, Range piece, std::vector<Range> places,
                    int tag) {
  const int self = adding.rank();
  Offers round{{}, std::move(places), piece_of(chunk[self], piece)};
  for (int i = 0; i < std::ssize(round.received); ++i) {
    const int other = i < self ? i : i + 1;
    Range& into = round.received[i];
    into = into.first(round.sum.size);
    round.requests.push_back(adding.irecv(into, other, tag));
    round.requests.push_back(adding.isend(piece_of(chunk[other], piece), other, tag));
  }
  return round;
}

Task add_up(Communicator block, ChannelRing channel, Range data, Options options) {
  const int size = block.size(), tag = channel.block.channel;
  const Communicator adding = by_switch(block, channel.block, Switch::adds_up, size - 1);
  const std::vector<Range> pieces = pieces_of(channel.part, switch_piece(size, data.size, options));
  std::vector<Offers> rounds;
  for (int step : block.phase("add up", static_cast<int>(pieces.size() + rounds_ahead))) {
    const auto round = static_cast<std::size_t>(step);
    if (round < pieces.size())
      rounds.push_back(start_offers(adding, Chunks(data, size), pieces[round],
                                    places(channel.slot, pieces, round, size - 1), tag));
    if (round < rounds_ahead) continue;
    const Offers& done = rounds[round - rounds_ahead];
    co_await block.wait_all(done.requests);
    for (const Range part : done.received) co_await block.reduce(done.sum, part);
  }
}

/// The options with a piece as their segment.
Options with_piece(int ranks, std::size_t items, Options options) {
  options.segment = switch_piece(ranks, items, options);
  return options;
}

std::size_t offers_slot_items(int ranks, std::size_t part, const Options& options) {
  return static_cast<std::size_t>(ranks - 1) * std::min(part, in_flight * options.segment);
}

}  // namespace

Algorithm describe_channel_switch_allgather() {
  Algorithm copies = in_channel_chunks<copy_all, no_slot>(
      "allgather", "channel_switch",
      "the switch copies for the blocks of a kernel, as NVLink SHARP does");
  copies.options = {"channels", "sms"};
  copies.one_host = true;
  copies.cost = switch_rounds_cost;
  return copies;
}

Algorithm describe_channel_switch_reduce_scatter() {
  return {
      .collective = "reduce_scatter",
      .name = "channel_switch",
      .summary = "the switch adds up for the blocks of a kernel, as NVLink SHARP does",
      .options = {"channels", "sms"},
      .one_host = true,
      .threads_for = channel_threads,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return in_channels(comm, work, channel_chunks(comm.size(), work.data, options),
                               offers_slot_items, add_up,
                               with_piece(comm.size(), work.data.size, options));
          },
      .cost = switch_rounds_cost,
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return slots_of(ranks, channel_chunks(ranks, {.size = items}, options),
                            offers_slot_items, with_piece(ranks, items, options));
          },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
