// SPDX-License-Identifier: LGPL-2.1-or-later
// Channels of a kernel's sends and receives: how many a pair of ranks has, which, and what each
// carries.
//
// Source: NCCL 2.30.7, src/graph/paths.cc, ncclTopoComputeP2pChannels; src/include/channel.h,
// ncclP2pChannelBaseForRound; src/enqueue.cc, addP2pToPlan, scheduleP2pTasksToPlan.
#pragma once

#include <vector>

#include "algorithms/catalogue.hpp"

namespace ringscope {

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

}  // namespace ringscope
