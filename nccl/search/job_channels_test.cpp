// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the searches find the channels that NCCL finds, on machines whose answer is known, or can be
// counted?
#include "nccl/search/job_channels.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "topologies/cluster.hpp"
#include "topologies/imports/imported_host.hpp"

namespace ringscope::nccl {
namespace {

using Order = Table<int>;

Cluster cluster(const std::string& name, int hosts) {
  return read_cluster(
      Value::from_text("x.yaml", fmt::format("base: {}\nhosts: {}\n", name, hosts)));
}

std::vector<GpuPlace> gpus_of(const Topology& topology, int each) {
  std::vector<GpuPlace> places;
  for (int host = 0; host < static_cast<int>(topology.hosts().size()); ++host)
    for (int gpu = 0; gpu < each; ++gpu) places.push_back({host, gpu});
  return places;
}

JobChannels found(const std::string& name, int hosts, int gpus) {
  const Cluster machine = cluster(name, hosts);
  return find_channels(machine.topology, gpus_of(machine.topology, gpus));
}

const HostChannels& on_first_host(const JobChannels& channels) {
  return channels.hosts.front().found->channels;
}

// NCCL's own output on a DGX-1V, "Channel 00/12 : 0 3 2 1 5 6 7 4" and so on: its NVLinks carry
// four different rings, two of them twice.
TEST(NcclChannels, dgx1v_rings_equal_nccls_output) {
  const JobChannels channels = found("dgx1v", 1, 8);
  const Table<Order> six = {{0, 3, 2, 1, 5, 6, 7, 4}, {0, 3, 2, 1, 5, 6, 7, 4},
                            {0, 4, 7, 6, 5, 1, 2, 3}, {0, 4, 7, 6, 5, 1, 2, 3},
                            {0, 1, 3, 7, 5, 4, 6, 2}, {0, 2, 6, 4, 5, 7, 3, 1}};
  Table<Order> twice = six;
  twice.insert(twice.end(), six.begin(), six.end());
  EXPECT_EQ(channels.rings, twice);
  EXPECT_EQ(on_first_host(channels).ring.inside, 20);
}

// Four NVLinks of 25 GB/s, counted as 20, between each two; each pair is in as many rings.
TEST(NcclChannels, a100_has_as_many_rings_as_its_links_carry) {
  EXPECT_EQ(found("a100x4_nvlink", 1, 2).rings.size(), 2 * 4u);
  EXPECT_EQ(found("a100x4_nvlink", 1, 4).rings.size(), 2 * 12u);
}

// 56 ways from one of eight GPUs to another, and 56 rings of eight: each way is in eight of them.
// RCCL counts seven links of 48 GB/s a GPU.
TEST(NcclChannels, mi300x_rings_are_rccls_and_use_links_equally) {
  const JobChannels channels = found("mi300x", 1, 8);
  EXPECT_EQ(channels.rings.size(), 56u);
  EXPECT_EQ(on_first_host(channels).ring.inside, 7 * 48.0 / 28);
  EXPECT_EQ(channels.multicast, 0);
  Table<Table<int>> uses(8, Table<int>(8));
  for (const Order& ring : channels.rings)
    for (int i = 0; i < 8; ++i) ++uses[ring[i]][ring[(i + 1) % 8]];
  for (int from = 0; from < 8; ++from)
    for (int to = 0; to < 8; ++to) EXPECT_EQ(uses[from][to], from == to ? 0 : 8);
}

TEST(NcclChannels, behind_one_pcie_switch_are_one_ring_twice) {
  const JobChannels channels = found("v100x4_pcie", 1, 4);
  EXPECT_EQ(channels.rings, (Table<Order>{{0, 1, 2, 3}, {0, 1, 2, 3}}));
  EXPECT_EQ(on_first_host(channels).ring.inside, 12);  // PCIe 3.0 x16, as NCCL counts it
}

TEST(NcclChannels, between_hosts_leave_by_each_nic_in_turn) {
  const JobChannels channels = found("a100_nvswitch", 2, 8);
  const Found& ring = on_first_host(channels).ring;
  ASSERT_EQ(ring.channels.size(), 8u);
  for (int channel = 0; channel < 8; ++channel)
    EXPECT_EQ(ring.channels[static_cast<std::size_t>(channel)].ports,
              (std::array{channel, channel}));
  EXPECT_EQ(channels.rings.size(), 2 * 8u);
}

// In a ring only the first and the last GPU of a host have a gate.
TEST(NcclChannels, between_hosts_have_nics_where_rings_come_in_and_leave) {
  const JobChannels channels = found("a100_nvswitch", 3, 8);
  ASSERT_EQ(channels.nics.size(), channels.rings.size());
  for (std::size_t ring = 0; ring < channels.rings.size(); ++ring)
    for (std::size_t i = 0; i < 24; ++i) {
      const auto at = [&](std::size_t place) { return channels.rings[ring][place % 24]; };
      const ChannelNics& nics = channels.nics[ring][static_cast<std::size_t>(at(i))];
      const int nic = static_cast<int>(ring % 8);
      EXPECT_EQ(nics.in, at(i) / 8 == at(i + 23) / 8 ? -1 : nic);
      EXPECT_EQ(nics.out, at(i) / 8 == at(i + 1) / 8 ? -1 : nic);
      EXPECT_EQ(nics.relay, -1);
    }
  EXPECT_TRUE(found("dgx1v", 1, 8).nics.empty());
}

TEST(NcclChannels, rings_hold_each_rank_once_and_each_host_in_one_piece) {
  for (const char* name : {"dgx1v", "a100_nvswitch", "gpu4x4_25g", "h100x4_nvlink"}) {
    const int each = std::string(name).starts_with("gpu") || name[0] == 'h' ? 4 : 8;
    for (const Order& ring : found(name, 3, each).rings) {
      Order sorted = ring, all(ring.size());
      std::sort(sorted.begin(), sorted.end());
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(sorted, all) << name;
      EXPECT_EQ(ring[0], 0);
      int crossings = 0;
      for (std::size_t i = 0; i < ring.size(); ++i)
        crossings += ring[i] / each != ring[(i + 1) % ring.size()] / each ? 1 : 0;
      EXPECT_EQ(crossings, 3) << name;
    }
  }
}

TEST(NcclChannels, trees_lead_from_each_rank_to_one_root) {
  for (const int hosts : {1, 2, 3, 5}) {
    const JobChannels channels = found("h100x4_nvlink", hosts, 4);
    for (const auto& tree : channels.trees) {
      int roots = 0;
      for (int rank = 0; rank < std::ssize(tree); ++rank) {
        const auto at = [&](int i) -> const TreeEnds& { return tree[static_cast<std::size_t>(i)]; };
        for (const int child : at(rank).children)
          EXPECT_TRUE(child < 0 || at(child).parent == rank);
        roots += at(rank).parent < 0 ? 1 : 0;
        int above = rank, steps = 0;
        while (at(above).parent >= 0 && ++steps <= std::ssize(tree)) above = at(above).parent;
        EXPECT_LE(steps, std::ssize(tree));
      }
      EXPECT_EQ(roots, 1);
    }
  }
}

/// Hosts with four switches of as many H100 and NICs of 100 Gbit/s each.
JobChannels with_nics(int gpus, int nics, const std::string& joins, int hosts = 2) {
  std::string all;
  for (int nic = 0; nic < 4 * nics; ++nic)
    all += fmt::format("{{switch: {}, bandwidth: 15.75 GB/s}}, ", nic / nics);
  const Cluster machine = read_cluster(Value::from_text(
      "x.yaml", fmt::format("base: h100_nvswitch\nhosts: {}\nlink: {{bandwidth: 100 Gbit/s}}\n"
                            "host: {{switches_per_socket: 2, gpus_per_switch: {}, nics: [{}], "
                            "joins_nics: {}}}\n",
                            hosts, gpus, all, joins)));
  return find_channels(machine.topology, gpus_of(machine.topology, 4 * gpus));
}

// Each channel has a NIC of its own, as long as there are channels: 12 GB/s of its 12.5.
TEST(NcclChannels, channels_use_distinct_nics_if_available) {
  const JobChannels channels = with_nics(2, 8, "false");
  const Found& ring = on_first_host(channels).ring;
  std::set<int> ports;
  for (const FoundChannel& channel : ring.channels) ports.insert(channel.ports[0]);
  EXPECT_EQ(ring.channels.size(), most_rings / 2u);
  EXPECT_EQ(ports.size(), most_rings / 2u);
  EXPECT_EQ(ring.outside, 12);
}

// Four NICs of 12.5 GB/s for each GPU, as in AWS's p5: as one they carry the 48 GB/s that a search
// wants at most. Fewer NICs than GPUs stay single; of three for two GPUs the first have two.
TEST(NcclChannels, joined_nics_of_a_gpu_are_used_together) {
  const JobChannels channels = with_nics(2, 8, "true");
  EXPECT_EQ(channels.hosts.front().found->graph.nics, (Table<int>{0, 4, 8, 12, 16, 20, 24, 28}));
  const Found& ring = on_first_host(channels).ring;
  EXPECT_EQ(ring.channels.size(), 8u);
  EXPECT_EQ(ring.outside, 48);
  EXPECT_EQ(with_nics(2, 1, "true").hosts.front().found->graph.nics, (Table<int>{0, 1, 2, 3}));
  EXPECT_EQ(with_nics(2, 3, "true").hosts.front().found->graph.nics,
            (Table<int>{0, 2, 3, 5, 6, 8, 9, 11}));
}

// Each of 72 GPUs has 18 NVLinks, which NCCL counts as 40.1 GB/s. All channels use them, and a head
// twice for its own: 33 x 20 is the last of its steps below 721.8. On one host of B200 24 blocks.
TEST(NcclChannels, heads_of_72_gpus_reach_nccls_maximum) {
  const Cluster machine = read_cluster(
      Value::from_text("x.yaml",
                       "base: h100_nvswitch\nhosts: 1\nhost: {switches_per_socket: 18, "
                       "gpus_per_switch: 2, nvswitch: {bandwidth: 900 GB/s}}\n"));
  const JobChannels channels = find_channels(machine.topology, gpus_of(machine.topology, 72));
  const Found& heads = on_first_host(channels).multicast;
  EXPECT_EQ(heads.channels.size(), 32u);
  EXPECT_EQ(heads.inside, 20);
  EXPECT_EQ(channels.multicast, 24);
}

// Hosts that are alike are searched once.
TEST(NcclChannels, equivalent_hosts_share_channels) {
  const JobChannels channels = found("dgx1v", 3, 8);
  EXPECT_EQ(channels.hosts[0].found, channels.hosts[2].found);
}

// The search divides what an import writes by what a link carries: 18 of an H100 are 18.
TEST(NcclRates, count_as_many_nvlinks_as_were_imported) {
  for (const int capability : {70, 80, 90, 100})
    for (const int links : {1, 6, 12, 18}) {
      const Bandwidth all{links * assumed_nvlink(capability).value.bytes_per_second};
      EXPECT_DOUBLE_EQ(nvlink_rate(all, capability), links * one_nvlink(capability))
          << capability << ' ' << links;
    }
}

}  // namespace
}  // namespace ringscope::nccl
