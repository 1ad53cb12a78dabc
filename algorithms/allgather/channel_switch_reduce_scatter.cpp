// Reduce-scatter by the switch that joins the GPUs of a host and can add up (NVLink SHARP, NCCL's
// NVLS): every rank offers all others their chunks, piece by piece, and the switch adds up on the
// way what is for one of them.
//
// Source: NCCL 2.30.7, src/device/reduce_scatter.h, NCCL_ALGO_NVLS. Where no switch adds up, as on
// MPI or by the loopback executor, each rank gets all parts and adds them up itself. Cost:
// switch_rounds.hpp.
#include "algorithms/channels/switch_rounds.hpp"

namespace ringscope {
namespace {

/// A round that is in flight: what comes, and where it is added.
struct Offers {
  std::vector<Request> requests;
  std::vector<Range> received;
  Range sum;
};

/// A piece of their chunk to all others, and the same of one's own from them.
Offers exchange(Communicator adding, Chunks chunk, Range piece, Range slot, int tag) {
  const int self = adding.rank(), others = adding.size() - 1;
  Offers round;
  round.sum = piece_of(chunk[self], piece);
  for (int other = 0; other <= others; ++other) {
    if (other == self) continue;
    const Range place = slot.part(round.received.size(), static_cast<std::size_t>(others));
    round.received.push_back(place.first(round.sum.size));
    round.requests.push_back(adding.irecv(round.received.back(), other, tag));
    round.requests.push_back(adding.isend(piece_of(chunk[other], piece), other, tag));
  }
  return round;
}

/// Pieces of which all ranks' parts lie in a slot at once.
std::size_t rounds_in_slot(std::size_t part, std::size_t piece) {
  const std::size_t all = (part + piece - 1) / piece;
  return std::clamp<std::size_t>(all, 1, rounds_ahead + 1);
}

Task add_up(Communicator block, ChannelRing channel, Range data, Options options) {
  const int size = block.size(), tag = channel.block.channel;
  const Communicator adding = by_switch(block, channel.block, Switch::adds_up, size - 1);
  const std::size_t most = switch_piece(size, data.size, options);
  const std::vector<Range> pieces = pieces_of(channel.part, most);
  const std::size_t slots = rounds_in_slot(channel.part.size, most);
  std::vector<Offers> rounds;
  for (int step : block.phase("add up", static_cast<int>(pieces.size() + rounds_ahead))) {
    const auto round = static_cast<std::size_t>(step);
    if (round < pieces.size())
      rounds.push_back(exchange(adding, Chunks(data, size), pieces[round],
                                channel.slot.part(round % slots, slots), tag));
    if (round < rounds_ahead) continue;
    const Offers& done = rounds[round - rounds_ahead];
    co_await block.wait_all(done.requests);
    for (const Range part : done.received) co_await block.reduce(done.sum, part);
  }
}

/// A channel's slots, by the pieces of the vector that it is cut from.
std::vector<Range> parts_of(int ranks, std::size_t items, const Options& options) {
  return channel_chunks(ranks, items, options);
}

Options with_piece(int ranks, std::size_t items, Options options) {
  options.segment = switch_piece(ranks, items, options);
  return options;
}

std::size_t slot_items(int ranks, std::size_t part, const Options& options) {
  const std::size_t piece = options.segment;
  return static_cast<std::size_t>(ranks - 1) * rounds_in_slot(part, piece) * std::min(part, piece);
}

}  // namespace

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
            return in_channels(comm, work, parts_of(comm.size(), work.data.size, options),
                               slot_items, add_up,
                               with_piece(comm.size(), work.data.size, options));
          },
      .cost = switch_rounds_cost,
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return slots_of(ranks, parts_of(ranks, items, options), slot_items,
                            with_piece(ranks, items, options));
          },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
