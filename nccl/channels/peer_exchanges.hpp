// SPDX-License-Identifier: LGPL-2.1-or-later
// Exchanges of a kernel's sends and receives, as a group has them, dealt out to its channels: a
// channel takes a few of its exchanges at once, and then the next.
//
// Source: NCCL 2.30.7, src/device/sendrecv.h; peer_channels.hpp.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"

namespace ringscope {

// Channels of a kernel's sends and receives: how many a pair of ranks has, which, and what each
// carries.
//
// Source: NCCL 2.30.7, src/graph/paths.cc, ncclTopoComputeP2pChannels; src/enqueue.cc,
// addP2pToPlan, scheduleP2pTasksToPlan; NCCL 2.28.3, src/include/channel.h,
// ncclP2pChannelBaseForRound, and device.h, ncclP2pChannelForPart: bits of the round are reversed,
// those of the part are not.

/// Exchanges with other ranks that a block takes at once, of those that one channel has.
inline constexpr std::size_t peers_at_once = 8;

struct PeerChannels {
  int all = 1;              ///< a power of two
  int least = 1, most = 1;  ///< of a pair, powers of two
  bool several_hosts = false;
  int in_host = 1;        ///< ranks of a host, in a row of rounds
  std::size_t chunk = 1;  ///< B that go at once

  /// Channels that share the `bytes` of a pair.
  int of_pair(std::size_t bytes) const;
  /// The channel of a part of what the ranks at this distance exchange.
  int channel(int round, int part) const;
};

PeerChannels peer_channels(int ranks, const Options& options);

/// LL for what is short for its channels, else Simple.
Protocol peer_protocol(std::size_t bytes, int channels);

/// One way of an exchange.
struct Transfer {
  int peer = -1;  ///< -1: nothing goes this way
  Range range;
  std::size_t bytes = 0;  ///< by which its channels are counted
  int tag = 0;
};

/// A send and a receive of this rank with those at one distance.
struct PeerExchange {
  int round = 0;  ///< the distance
  Transfer sent, received;
};

/// One channel's part of a transfer.
struct PeerPart {
  Transfer transfer;
  Protocol protocol = Protocol::simple;
  /// Items of a receive that are copied once all of it has come: its last chunk.
  Range last;
};

/// All that one channel has to do, one block of threads of this rank.
struct PeerWork {
  int channel = 0;
  std::vector<std::pair<PeerPart, PeerPart>> exchanges;  ///< sent, received
};

/// Cuts what each way carries among the channels that its bytes take: those that have anything to
/// do.
std::vector<PeerWork> dealt_out(const PeerChannels& peers, const std::vector<PeerExchange>& all);

/// Cuts what each way carries among the channels that its bytes take, and runs all channels, each a
/// few exchanges at a time, while `own` is copied to its piece.
Task exchange_on_channels(Communicator comm, PeerChannels peers,
                          std::vector<PeerExchange> exchanges, Range own_piece, Range own);

}  // namespace ringscope
