// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/groups/block_messages.hpp"

#include <limits>
#include <set>

#include "algorithms/groups/on_group.hpp"
#include "nccl/channels/all_at_once.hpp"
#include "nccl/channels/peer_exchanges.hpp"
#include "nccl/choice/tuning.hpp"

namespace ringscope {
namespace {

constexpr std::size_t chunks_under_way = 8;
/// Kernels of messages are other ones than those of collectives, whose channels would differ where
/// the last bytes of a message shared the block of one.
constexpr int of_messages = 256;   ///< more than streams of any program
constexpr int most_channels = 64;  ///< NCCL 2.30.7, src/include/device.h, MAXCHANNELS
static_assert(std::int64_t{2 * most_channels} * tags_of_channel <= std::numeric_limits<int>::max());

/// One message of a block in up to three pieces, where it is longer than the room of R items: with
/// S items, what goes at once ends at R, and what the receiver has to take before the send ends at
/// S - R.
struct Pieces {
  Range piece[3];
  bool is_long = false;
  int at_once = 0;  ///< pieces that wait for nobody
  int taken = 0;    ///< pieces of which the receiver tells
};

Pieces pieces_of(const Range& whole, std::size_t room) {
  if (whole.size <= room) return {{whole}, false, 1, 0};
  const std::size_t rest = whole.size - room;
  const std::size_t low = std::min(room, rest), high = std::max(room, rest);
  const auto from = [&](std::size_t begin, std::size_t end) {
    return Range{whole.buffer, whole.offset + begin, end - begin};
  };
  const bool short_rest = rest < room;
  return {{from(0, low), from(low, high), from(high, whole.size)},
          true,
          short_rest ? 2 : 1,
          short_rest ? 1 : 2};
}

/// Outstanding messages of a block. The receiver of a long one says when it is there, and when
/// it has taken enough, by a flag: LL's.
class BlockMessages {
 public:
  BlockMessages(Communicator comm, int channel, std::size_t room)
      : comm_(comm), channel_(channel), room_(room) {
    assert(channel < most_channels);
  }

  void receive(const PeerPart& part) {
    const Transfer& in = part.transfer;
    const Pieces cut = pieces_of(in.range, room_);
    if (cut.is_long) sent_.push_back(flags().isend({}, in.peer, flag_tag(in)));
    for (int i = 0; i < 3; ++i) {
      if (i > 0 && cut.piece[i].size == 0) continue;
      const Request request = by(part.protocol).irecv(cut.piece[i], in.peer, data_tag(part));
      const bool tells = i < cut.taken && (i + 1 == cut.taken || cut.piece[i + 1].size == 0);
      awaited_.push_back({request, tells ? Event::enough : Event::other, &part});
    }
  }

  void send(const PeerPart& part) {
    const Transfer& out = part.transfer;
    const Pieces cut = pieces_of(out.range, room_);
    send_pieces(part, 0, cut.at_once);
    if (!cut.is_long) return;
    awaited_.push_back({flags().irecv({}, out.peer, flag_tag(out)), Event::ready, &part});
    awaited_.push_back({flags().irecv({}, out.peer, flag_tag(out)), Event::other, &part});
  }

  /// In an order in which two blocks with no other partner never wait for each other.
  void sort() { std::ranges::stable_sort(awaited_, {}, &Awaited::event); }

  bool waits() const { return !awaited_.empty(); }
  std::vector<Request> awaited() const { return each_of(awaited_, &Awaited::request); }
  const std::vector<Request>& sent() const { return sent_; }

  void came(int which) {
    const Awaited one = awaited_[which];
    awaited_.erase(awaited_.begin() + which);
    const Transfer& transfer = one.part->transfer;
    if (one.event == Event::ready)
      send_pieces(*one.part, pieces_of(transfer.range, room_).at_once, 3);
    if (one.event == Event::enough)
      sent_.push_back(flags().isend({}, transfer.peer, flag_tag(transfer)));
  }

 private:
  enum class Event { ready, enough, other };
  struct Awaited {
    Request request;
    Event event;
    const PeerPart* part;
  };

  Communicator by(Protocol protocol) const {
    return comm_.inside({.channel = channel_, .protocol = protocol, .exchanges = true});
  }
  Communicator flags() const { return by(Protocol::ll); }
  /// By protocol, or a short message would overtake a long one before it.
  int data_tag(const PeerPart& part) const {
    const int place = part.protocol == Protocol::ll ? most_channels + channel_ : channel_;
    return part.transfer.tag + place * tags_of_channel;
  }
  int flag_tag(const Transfer& one) const { return one.tag - (channel_ + 1) * tags_of_channel; }

  void send_pieces(const PeerPart& part, int begin, int end) {
    const Transfer& out = part.transfer;
    const Pieces cut = pieces_of(out.range, room_);
    for (int i = begin; i < end; ++i)
      if (i == 0 || cut.piece[i].size > 0)
        sent_.push_back(by(part.protocol).isend(cut.piece[i], out.peer, data_tag(part)));
  }

  Communicator comm_;
  int channel_;
  std::size_t room_;
  Table<Awaited> awaited_;
  std::vector<Request> sent_;
};

bool has_one_partner(const PeerWork& work) {
  int partner = -1;
  for (const auto& [sent, received] : work.exchanges)
    for (const int peer : {sent.transfer.peer, received.transfer.peer}) {
      if (peer >= 0 && partner >= 0 && peer != partner) return false;
      partner = std::max(partner, peer);
    }
  return true;
}

/// Up to `peers_at_once` exchanges from the first on, of which no two send to one rank, or receive
/// from one.
std::size_t end_of_batch(const PeerWork& work, std::size_t first) {
  std::set<int> sent, received;
  std::size_t end = first;
  for (; end < work.exchanges.size() && end < first + peers_at_once; ++end) {
    const int to = work.exchanges[end].first.transfer.peer;
    const int from = work.exchanges[end].second.transfer.peer;
    if (to >= 0 && !sent.insert(to).second) break;
    if (from >= 0 && !received.insert(from).second) break;
  }
  return end;
}

Task run_block(Communicator comm, PeerWork work, std::size_t room) {
  const auto& [first_sent, first_received] = work.exchanges.front();
  const Protocol protocol =
      first_sent.transfer.peer >= 0 ? first_sent.protocol : first_received.protocol;
  const Communicator block =
      comm.inside({.channel = work.channel, .protocol = protocol, .exchanges = true});
  co_await block.begin_block(true);
  const bool in_order = has_one_partner(work);
  for (std::size_t first = 0, end = 0; first < work.exchanges.size(); first = end) {
    BlockMessages messages(comm, work.channel, room);
    end = end_of_batch(work, first);
    for (std::size_t i = first; i < end; ++i) {
      const auto& [sent, received] = work.exchanges[i];
      if (received.transfer.peer >= 0) messages.receive(received);
      if (sent.transfer.peer >= 0) messages.send(sent);
    }
    messages.sort();
    while (messages.waits()) {
      const std::vector<Request> requests = messages.awaited();
      int which = 0;
      if (in_order)
        co_await block.wait(requests.front());
      else
        which = co_await block.wait_any(requests);
      messages.came(which);
    }
    co_await block.wait_all(messages.sent());
    const Communicator copies = comm.inside({.channel = work.channel});
    for (std::size_t i = first; i < end; ++i)
      if (const Range last = work.exchanges[i].second.last; last.size > 0)
        co_await copies.copy(last, last);
  }
  block.end_block();
}

/// Messages of one distance together, the first sent with the first received; the first ones of all
/// distances before the second of any.
std::vector<PeerExchange> by_rounds(const std::vector<GroupMessage>& messages, int self, int size,
                                    std::size_t item_bytes) {
  std::map<std::pair<int, int>, PeerExchange> exchanges;
  std::map<std::pair<int, bool>, int> turns;
  for (const GroupMessage& one : messages) {
    const int round = (one.sends ? one.peer - self + size : self - one.peer + size) % size;
    PeerExchange& exchange = exchanges[{turns[{round, one.sends}]++, round}];
    exchange.round = round;
    (one.sends ? exchange.sent : exchange.received) = {one.peer, one.range,
                                                       one.range.size * item_bytes, one.tag};
  }
  std::vector<PeerExchange> all;
  for (auto& [place, exchange] : exchanges) all.push_back(std::move(exchange));
  return all;
}

}  // namespace

Task exchange_by_blocks(Communicator group, std::vector<GroupMessage> messages, Options options) {
  const KnownGroup& known = *communicator_of(group, options);
  group = group.numbered(options.given.groups->number(known, of_messages + options.given.stream));
  options = options_of(known, options);
  options.channels = options.given.nccl->most;
  const PeerChannels peers = peer_channels(group.size(), options);
  const std::size_t room =
      std::max<std::size_t>(1, chunks_under_way * peers.chunk / options.given.item_bytes);
  std::vector<PeerWork> channels =
      dealt_out(peers, by_rounds(messages, group.rank(), group.size(), options.given.item_bytes));
  return all_at_once(group, std::move(channels), [room](Communicator comm, PeerWork work) {
    return run_block(comm, std::move(work), room);
  });
}

}  // namespace ringscope
