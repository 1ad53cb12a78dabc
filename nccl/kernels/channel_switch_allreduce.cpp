// SPDX-License-Identifier: LGPL-2.1-or-later
// Allreduce by the switches that join the GPUs of a host and can add up and copy (NVLink SHARP,
// NCCL's NVLS): every rank offers each head of its host a chunk, which the switch adds up on the
// way; the head sends the sum once, and the switch copies it to all. So each GPU sends and receives
// the vector once. Between hosts the heads of one number sum in a tree (NVLSTree).
//
// The stages of a round follow each other some rounds apart, as NCCL's warps do that have a buffer
// between each two of them; a rank does its stages of different rounds in turn. In the tree each
// host sums some rounds later than its children and copies some later than its parent, so that no
// step waits for more than one hop.
//
// Source: NCCL 2.30.7, src/device/all_reduce.h, NCCL_ALGO_NVLS and NVLS_TREE; src/graph/connect.cc,
// connectNvls; of the chunks src/enqueue.cc, calcCollChunking. Where no switch adds up, as on MPI
// or by the loopback executor, heads get all chunks and add them up themselves.
// Cost with R rounds of all channels together and K heads on each of H hosts: 2K(P-H) messages a
// round inside hosts and 2K(H-1) between, 2(P-1)S items on the wire; at least as many steps as a
// head receives messages.
#include <deque>

#include "algorithms/steps/host_order.hpp"
#include "nccl/channels/all_at_once.hpp"
#include "nccl/channels/switch_channel.hpp"

namespace ringscope {
namespace {

constexpr int switch_traffic = 2;  ///< times that an item passes a rank's link

using Hosts = Table<std::vector<int>>;

/// Items of a chunk: shorter vectors have smaller ones.
std::size_t chunk_of(std::size_t items, const Hosts& hosts, const Options& options) {
  if (hosts.size() == 1) return switch_piece(heads_of(hosts), items, options);
  const std::size_t bytes = items * options.given.item_bytes;
  const std::size_t at_once = static_cast<std::size_t>(std::max(1, options.channels)) *
                              static_cast<std::size_t>(heads_of(hosts));
  constexpr std::size_t many_hosts = 4;
  std::size_t chunk = hosts.size() < many_hosts ? 128 << 10 : 64 << 10;
  const auto no_more = [&](std::size_t most, std::size_t chunks) {
    if (bytes < chunks * at_once * chunk && chunk > most) chunk = most;
  };
  no_more(64 << 10, 4);
  no_more(32 << 10, 1);
  return std::max<std::size_t>(1, chunk / options.given.item_bytes);
}

std::vector<Range> switch_parts(Range data, const Options& options) {
  return channel_parts(data, Protocol::simple, options.channels, switch_traffic,
                       options.given.item_bytes);
}

using Requests = std::vector<Request>;

/// Requests of a round that are in flight.
struct Round {
  Requests offers, parts, sum, total, copies;
};

/// One channel as its rank sees it: with the messages that the switch adds up, or copies.
struct Ends {
  Communicator plain, adding, copying;
};

/// Chunks for the heads of the host, and what comes to the rank as one.
Requests offers(const Ends& ends, const SwitchChannel& own, std::size_t round) {
  const int tag = own.index;
  Requests all;
  for (const int place : own.ranks.others)
    if (place < own.ranks.heads)
      all.push_back(ends.adding.isend(own.chunk_of_head(round, place), own.ranks.host[place], tag));
  const std::vector<Range> into = own.from_host(round);
  if (into.empty()) return all;
  for (std::size_t source = 0; const int place : own.ranks.others)
    all.push_back(ends.adding.irecv(into[source++], own.ranks.host[place], tag));
  return all;
}

Requests parts_of_children(const Ends& ends, const SwitchChannel& own, std::size_t round) {
  const std::vector<Range> into = own.from_children(round);
  Requests all;
  for (std::size_t child = 0; child < into.size(); ++child)
    all.push_back(ends.plain.irecv(into[child], own.ranks.children[child], own.index));
  return all;
}

Requests sum_to_parent(const Ends& ends, const SwitchChannel& own, std::size_t round) {
  if (own.ranks.parent == no_rank) return {};
  return Requests(1, ends.plain.isend(own.own_chunk(round), own.ranks.parent, own.index));
}

Requests total_of_parent(const Ends& ends, const SwitchChannel& own, std::size_t round) {
  if (own.ranks.parent == no_rank) return {};
  return Requests(1, ends.plain.irecv(own.own_chunk(round), own.ranks.parent, own.index));
}

/// The sum of all to the children and to the host, and the other heads' chunks of it from them.
Requests copies(const Ends& ends, const SwitchChannel& own, std::size_t round) {
  const int tag = own.tag_of_copies;
  Requests all;
  if (own.ranks.is_head()) {
    const Range chunk = own.own_chunk(round);
    for (const int child : own.ranks.children)
      all.push_back(ends.plain.isend(chunk, child, own.index));
    for (const int place : own.ranks.others)
      all.push_back(ends.copying.isend(chunk, own.ranks.host[place], tag));
  }
  for (const int place : own.ranks.others)
    if (place < own.ranks.heads)
      all.push_back(
          ends.copying.irecv(own.chunk_of_head(round, place), own.ranks.host[place], tag));
  return all;
}

/// Waits for all, then adds the parts that have come.
Task complete(Communicator block, Requests requests, Range into, std::vector<Range> parts) {
  if (!requests.empty()) co_await block.wait_all(requests);
  for (const Range part : parts) co_await block.reduce(into, part);
}

Task rounds_at_switch(Ends ends, SwitchChannel own) {
  const std::size_t rounds = own.rounds.size();
  const SwitchStages at(own.ranks);
  const std::vector<Range> nothing;
  std::deque<Round> round(at.ended + 1);  // by how many steps ago it began
  const Steps steps = ends.plain.phase("add up and copy", static_cast<int>(rounds + at.ended));
  for (int step : steps.equal(static_cast<int>(at.ended), own.whole_rounds())) {
    const auto round_at = [&](std::size_t stage) {
      return static_cast<std::size_t>(step) - stage;  // before the first: more than any
    };
    round.push_front({});
    round.pop_back();
    if (const std::size_t r = round_at(0); r < rounds) round[0].offers = offers(ends, own, r);
    if (const std::size_t r = round_at(at.summed); r < rounds)
      co_await complete(ends.plain, round[at.summed].offers, own.own_chunk(r), own.from_host(r));
    if (const std::size_t r = round_at(at.asked); r < rounds)
      round[at.asked].parts = parts_of_children(ends, own, r);
    if (const std::size_t r = round_at(at.up); r < rounds) {
      co_await complete(ends.plain, round[at.up].parts, own.own_chunk(r), own.from_children(r));
      round[at.up].sum = sum_to_parent(ends, own, r);
    }
    if (const std::size_t r = round_at(at.sent); r < rounds) {
      co_await complete(ends.plain, round[at.sent].sum, own.own_chunk(r), nothing);
      round[at.sent].total = total_of_parent(ends, own, r);
    }
    if (const std::size_t r = round_at(at.down); r < rounds) {
      co_await complete(ends.plain, round[at.down].total, own.own_chunk(r), nothing);
      round[at.down].copies = copies(ends, own, r);
    }
    if (const std::size_t r = round_at(at.ended); r < rounds)
      co_await complete(ends.plain, round[at.ended].copies, own.own_chunk(r), nothing);
  }
}

Ends ends_of(Communicator comm, const SwitchChannel& own) {
  Block block;
  block.channel = own.index;
  block.alike = own.alike;
  block.together = std::max(1, own.others());
  Block adding = block, copying = block;
  adding.by = Switch::adds_up;
  copying.by = Switch::copies;
  return {comm.inside(block), comm.inside(adding), comm.inside(copying)};
}

Task channel(Communicator comm, SwitchChannel own) {
  const Ends ends = ends_of(comm, own);
  co_await ends.plain.begin_block(true);
  co_await rounds_at_switch(ends, std::move(own));
  ends.plain.end_block();
}

/// The channels of the rank in that place of a host, with their slots one behind the other.
std::vector<SwitchChannel> channels_of(const Hosts& hosts, std::pair<std::size_t, std::size_t> at,
                                       Workspace work, const Options& options) {
  const std::size_t round =
      chunk_of(work.data.size, hosts, options) * static_cast<std::size_t>(heads_of(hosts));
  std::vector<SwitchChannel> channels;
  for (const Range& part : switch_parts(work.data, options)) {
    const int index = static_cast<int>(channels.size());
    SwitchChannel& own = channels.emplace_back();
    own.index = index;
    own.tag_of_copies = index + std::max(1, options.channels);
    own.ranks = switch_ranks(hosts, at.first, at.second, index);
    own.rounds = pieces_of(part, round);
    own.scratch = work.scratch;
    work.scratch.offset += own.slots();
  }
  return channels;
}

std::vector<SwitchChannel> channels_of(int rank, int ranks, Workspace work,
                                       const Options& options) {
  const Hosts hosts = ranks_by_host(ranks, options.given.hosts);
  return channels_of(hosts, place_of(hosts, rank), work, options);
}

/// Channels of a rank that do what no other does, each for all that do the same. Of the two trees
/// of several hosts they take turns.
std::vector<SwitchChannel> performed(Communicator comm, Workspace work, const Options& options) {
  std::vector<SwitchChannel> channels = channels_of(comm.rank(), comm.size(), work, options);
  std::vector<int> trees;
  for (const SwitchChannel& one : channels)
    trees.push_back(one.ranks.several_hosts() ? one.index % 2 : 0);
  const Table<int> times = performed_for(comm, switch_parts(work.data, options), trees, options);
  for (SwitchChannel& one : channels) one.alike = times[one.index];
  std::erase_if(channels, [](const SwitchChannel& one) { return one.alike == 0; });
  return channels;
}

Task channel_switch_allreduce(Communicator comm, Workspace work, Options options) {
  std::vector<SwitchChannel> channels;
  if (comm.size() > 1) channels = performed(comm, work, options);
  return all_at_once(comm, std::move(channels), channel);
}

std::int64_t count_rounds(std::size_t items, const Hosts& hosts, const Options& options) {
  return count_pieces(switch_parts({.size = items}, options),
                      chunk_of(items, hosts, options) * static_cast<std::size_t>(heads_of(hosts)));
}

Cost channel_switch_allreduce_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const Hosts hosts = ranks_by_host(ranks, options.given.hosts);
  const std::int64_t rounds = count_rounds(items, hosts, options), heads = heads_of(hosts);
  std::size_t most = 0;
  for (const auto& host : hosts) most = std::max(most, host.size());
  const std::int64_t received = static_cast<std::int64_t>(most) + heads - 2;
  return {.steps = rounds * std::max<std::int64_t>(1, received),
          .messages = 2 * rounds * heads * (ranks - 1),
          .items = 2 * static_cast<std::uint64_t>(ranks - 1) * items};
}

std::size_t channel_switch_allreduce_scratch(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return 0;
  const Hosts hosts = ranks_by_host(ranks, options.given.hosts);
  const auto heads = static_cast<std::size_t>(heads_of(hosts));
  const std::size_t round = chunk_of(items, hosts, options) * heads,
                    all = (rounds_ahead + 1) * round;
  const std::vector<Range> parts = switch_parts({.size = items}, options);
  std::size_t most = 0;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    const SwitchRanks own[] = {switch_ranks(hosts, host, 0, 0), switch_ranks(hosts, host, 0, 1)};
    for (std::size_t head = 0; head < heads; ++head) {
      std::size_t sum = 0;
      for (int tree = 0; const Range& part : parts) {
        const std::size_t sources = own[std::exchange(tree, 1 - tree)].sources();
        for (std::size_t from = 0; from < std::min(part.size, all); from += round)
          sum += sources * Range{.size = std::min(round, part.size - from)}.part(head, heads).size;
      }
      most = std::max(most, sum);
    }
  }
  return most;
}

}  // namespace

Algorithm describe_channel_switch_allreduce() {
  return {
      .collective = "allreduce",
      .name = "channel_switch",
      .summary = "switches add up and copy for the blocks of a kernel, as NVLink SHARP does",
      .options = {"channels"},
      .threads_for = [](const Options& options) { return std::max(1, options.channels); },
      .run = channel_switch_allreduce,
      .cost = channel_switch_allreduce_cost,
      .scratch_items = channel_switch_allreduce_scratch,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
