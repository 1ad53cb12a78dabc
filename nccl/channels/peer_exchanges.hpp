// SPDX-License-Identifier: LGPL-2.1-or-later
// Exchanges of a kernel's sends and receives, as a group has them, dealt out to its channels: a
// channel takes a few of its exchanges at once, and then the next.
//
// Source: NCCL 2.30.7, src/device/sendrecv.h; peer_channels.hpp.
#pragma once

#include <utility>
#include <vector>

#include "nccl/channels/peer_channels.hpp"

namespace ringscope {

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
