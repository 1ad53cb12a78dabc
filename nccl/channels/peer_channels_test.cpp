// SPDX-License-Identifier: LGPL-2.1-or-later
// Do pairs of ranks get the channels that NCCL gives them, and both ends the same ones?
#include "nccl/channels/peer_exchanges.hpp"

#include <gtest/gtest.h>

#include <set>

#include "nccl/choice/tuning.hpp"

namespace ringscope {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

// Four H100, six NVLinks between each two: "24 coll channels, 32 p2p channels, 16 p2p channels per
// peer" (validation/published/nccl/h100-1-host-all_gather_perf.log).
TEST(PeerChannels, are_as_many_as_a_log_of_four_h100_says) {
  const std::vector<int> one_host(4, 0);
  const nccl::Platform machine = {.peer_channels = 2 * 6};
  const PeerChannels peers =
      peer_channels(4, {.channels = 24, .given = {.hosts = &one_host, .nccl = &machine}});
  EXPECT_EQ(peers.all, 32);
  EXPECT_EQ(peers.most, 16);
}

// 32 channels for four ranks are eight each, of at least 64 KiB and at most 16 MiB; more of them,
// up to what a pair may have, where that is exceeded.
TEST(PeerChannels, share_a_pairs_bytes_by_their_number) {
  const std::vector<int> one_host(4, 0);
  const nccl::Platform machine = {.peer_channels = 12};
  const PeerChannels peers =
      peer_channels(4, {.channels = 24, .given = {.hosts = &one_host, .nccl = &machine}});
  EXPECT_EQ(peers.of_pair(1), 1);
  EXPECT_EQ(peers.of_pair(3 * 64 * KiB), 3);
  EXPECT_EQ(peers.of_pair(8 * 16 * MiB), 8);
  EXPECT_EQ(peers.of_pair(8 * 16 * MiB + 1), 16);
  EXPECT_EQ(peers.of_pair(std::size_t{1} << 40), 16);
}

// Ten hosts with a GPU each: a channel carries at most the 128 KiB of a chunk, but a pair has no
// more channels than fit in one batch of eight pairs.
TEST(PeerChannels, between_hosts_are_no_more_than_fit_in_one_batch) {
  std::vector<int> hosts;
  for (int rank = 0; rank < 40; ++rank) hosts.push_back(rank);
  const nccl::Platform machine = {.peer_channels = 4};
  const auto most = [&](int ranks, int channels) {
    return peer_channels(ranks,
                         {.channels = channels, .given = {.hosts = &hosts, .nccl = &machine}})
        .most;
  };
  EXPECT_EQ(most(10, 16), 4);
  EXPECT_EQ(most(10, 4), 2);
  EXPECT_EQ(most(40, 16), 2);
  EXPECT_EQ(most(40, 4), 1);
}

TEST(PeerChannels, channels_of_one_round_are_distinct) {
  const std::vector<int> one_host(4, 0);
  const nccl::Platform machine = {.peer_channels = 16};
  const PeerChannels peers =
      peer_channels(4, {.channels = 32, .given = {.hosts = &one_host, .nccl = &machine}});
  for (int round = 0; round < 4; ++round) {
    std::set<int> taken;
    for (int part = 0; part < peers.most; ++part) taken.insert(peers.channel(round, part));
    EXPECT_EQ(std::ssize(taken), peers.most) << "round " << round;
    EXPECT_LT(*taken.rbegin(), peers.all);
  }
}

// Eight ranks and 32 channels, four for each pair: the rounds 1 to 7 begin at 16, 8, 24, 4, 20, 12
// and 28, and take the next three.
TEST(PeerChannels, channels_of_all_rounds_of_a_host_are_distinct) {
  const std::vector<int> one_host(8, 0);
  const nccl::Platform machine = {.peer_channels = 32};
  const PeerChannels peers =
      peer_channels(8, {.channels = 32, .given = {.hosts = &one_host, .nccl = &machine}});
  std::set<int> taken;
  for (int round = 1; round < 8; ++round)
    for (int part = 0; part < peers.least; ++part) taken.insert(peers.channel(round, part));
  EXPECT_EQ(peers.least, 4);
  EXPECT_EQ(std::ssize(taken), 28);
  EXPECT_EQ(peers.channel(1, 3), 19);
  EXPECT_EQ(peers.channel(7, 0), 28);
}

TEST(PeerChannels, carry_what_is_short_by_ll) {
  EXPECT_EQ(peer_protocol(2 * 16 * KiB, 2), Protocol::ll);
  EXPECT_EQ(peer_protocol(2 * 16 * KiB + 1, 2), Protocol::simple);
}

}  // namespace
}  // namespace ringscope
