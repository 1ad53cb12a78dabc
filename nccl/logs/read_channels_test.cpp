// SPDX-License-Identifier: LGPL-2.1-or-later
// Are the rings and trees that NCCL writes of itself read as it has them, and are they ours?
#include "nccl/logs/read_channels.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

using nccl::ChannelNics;
using nccl::GpuPlace;
using nccl::JobChannels;
using testing::HasSubstr;
using Order = Table<int>;

Cluster cluster(const std::string& name, int hosts) {
  return read_cluster(
      Value::from_text("x.yaml", fmt::format("base: {}\nhosts: {}\n", name, hosts)));
}

std::vector<GpuPlace> gpus(int hosts, int each) {
  std::vector<GpuPlace> places;
  for (int host = 0; host < hosts; ++host)
    for (int gpu = 0; gpu < each; ++gpu) places.push_back({host, gpu});
  return places;
}

JobChannels channels_of(const std::string& text, const std::string& name, int hosts, int each) {
  const auto source = std::make_shared<const Source>(Source{"nccl.log", text});
  return read_channels(source, cluster(name, hosts).topology, gpus(hosts, each));
}

std::string error_of(const std::string& text, int hosts = 1, int each = 4) {
  try {
    channels_of(text, "h100x4_nvlink", hosts, each);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// The INFO lines of NCCL 2.22.3 on four H100 of one host.
TEST(NcclChannelsFile, log_of_four_h100_has_the_searched_rings_and_trees) {
  const std::string file = "validation/published/nccl/h100-1-host-all_reduce.log";
  const JobChannels run = channels_of(read_file(file, 1), "h100x4_nvlink", 1, 4);
  ASSERT_EQ(run.rings.size(), 24u);
  ASSERT_EQ(run.trees.size(), 24u);
  const JobChannels found = nccl::find_channels(cluster("h100x4_nvlink", 1).topology, gpus(1, 4));
  EXPECT_EQ(found.rings, run.rings);
  for (std::size_t i = 0; i < run.trees.size(); ++i)
    EXPECT_EQ(found.trees[i], run.trees[i]) << "channel " << i;
}

// Lines as NCCL writes them, of ours: a ring over two hosts, and NICs by which it goes.
const std::string two_hosts = R"(a:1:2 [0] NCCL INFO Channel 00/02 :    0   1   2   3
a:1:2 [0] NCCL INFO Channel 01/02 :    0   3   2   1
a:1:2 [0] NCCL INFO Trees [0] 1/2/-1->0->-1 [1] 1/-1/-1->0->2
a:1:2 [1] NCCL INFO Trees [0] -1/-1/-1->1->0 [1] -1/-1/-1->1->0
b:1:2 [2] NCCL INFO Trees [0] 3/-1/-1->2->0 [1] 3/0/-1->2->-1
b:1:2 [3] NCCL INFO Trees [0] -1/-1/-1->3->2 [1] -1/-1/-1->3->2
a:1:2 [1] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [send] via NET/IB/3(0)/GDRDMA
b:1:2 [2] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [receive] via NET/IB/2/GDRDMA
a:1:2 [0] NCCL INFO Channel 00/0 : 2[0] -> 0[0] [receive] via NET/IB/1/GDRDMA
a:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
)";

TEST(NcclChannelsFile, log_lines_give_rings_trees_and_ring_nics) {
  const JobChannels run = channels_of(two_hosts, "h100x4_nvlink", 2, 2);
  EXPECT_EQ(run.rings, (Table<Order>{{0, 1, 2, 3}, {0, 3, 2, 1}}));
  ASSERT_EQ(run.trees.size(), 2u);
  EXPECT_EQ(run.trees[1][2], (TreeEnds{.parent = -1, .children = {3, 0, -1}}));
  ASSERT_EQ(run.nics.size(), 2u);
  EXPECT_EQ(run.nics[0][1], (ChannelNics{.in = -1, .out = 3, .relay = 0}));
  EXPECT_EQ(run.nics[0][2], (ChannelNics{.in = 2, .out = -1, .relay = -1}));
  EXPECT_EQ(run.nics[0][0], ChannelNics{});  // a tree's connection: in the ring 3 comes before 0
}

TEST(NcclChannelsFile, equal_hosts_are_searched_once) {
  int searches = 0;
  const auto source = std::make_shared<const Source>(Source{"nccl.log", two_hosts});
  const auto of_host = [&](const nccl::HostGraph& host) {
    ++searches;
    return nccl::channels_of_host(host);
  };
  read_channels(source, cluster("h100x4_nvlink", 2).topology, gpus(2, 2), of_host);
  EXPECT_EQ(searches, 1);
}

TEST(NcclChannelsFile, first_communicator_of_matching_size_is_read) {
  const std::string pair = "NCCL INFO Channel 00/01 : 0 1\n";
  const JobChannels run = channels_of(pair + two_hosts + pair, "h100x4_nvlink", 2, 2);
  EXPECT_EQ(run.rings.size(), 2u);
  EXPECT_TRUE(run.trees.empty());
}

const std::string graph = R"(<graphs version="1">
  <graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="30" speedinter="24"
         latencyinter="75" typeintra="NVL" typeinter="PIX" samechannels="1">
    <channel>
      <net dev="2"/>
      <gpu dev="3"/> <gpu dev="1"/> <gpu dev="0"/> <gpu dev="2"/>
      <net dev="2"/>
    </channel>
  </graph>
</graphs>
)";

TEST(NcclChannelsFile, graph_file_applies_to_every_host) {
  const JobChannels run = channels_of(graph, "h100x4_nvlink", 2, 4);
  const Order ring = {0, 2, 7, 5, 4, 6, 3, 1};
  ASSERT_FALSE(run.rings.empty());
  for (const Order& one : run.rings) EXPECT_EQ(one, ring);
  EXPECT_EQ(run.nics[0][3], (ChannelNics{.in = 2, .out = -1, .relay = -1}));
  EXPECT_EQ(run.nics[0][2], (ChannelNics{.in = -1, .out = 2, .relay = -1}));
  EXPECT_EQ(run.hosts[0].found->channels.ring.inside, 30);
  EXPECT_EQ(run.hosts[0].found->channels.ring.latency, 75);
}

TEST(NcclChannelsFile, mismatched_file_is_rejected_with_a_reason) {
  EXPECT_THAT(error_of("nothing of NCCL\n"), HasSubstr("nccl.log: has no rings of NCCL"));
  EXPECT_THAT(error_of("\nChannel 00/01 : 0 1\n"),
              HasSubstr("nccl.log:2:1: the job has 4 ranks, and NCCL's rings here have 2"));
  EXPECT_THAT(error_of("Channel 00/01 : 0 1 1 3\n"),
              HasSubstr("expected each rank from 0 to 3 once in the ring of channel 0, got "
                        "\"0 1 1 3\""));
  std::string text = two_hosts;
  text.replace(text.find("NET/IB/3"), 8, "NET/IB/9");
  EXPECT_THAT(error_of(text, 2, 2), HasSubstr("rank 1 uses NIC 9, and host0 has 4"));
  text = graph;
  text.replace(text.find("<gpu dev=\"3\""), 12, "<gpu dev=\"5\"");
  EXPECT_THAT(error_of(text), HasSubstr("<gpu>: GPU 5 is none of the job's: 0, 1, 2, 3"));
  EXPECT_THAT(error_of(graph, 1, 3), HasSubstr("is none of the job's: 0, 1, 2"));
  EXPECT_THAT(error_of("<graphs version=\"1\"/>"), HasSubstr("expected a <graph id=\"0\">"));
}

TEST(NcclChannelsFile, disconnected_trees_are_rejected_with_their_line) {
  const auto with = [](const std::string& line, const std::string& other) {
    std::string text = two_hosts;
    text.replace(text.find(line), line.size(), other);
    return error_of(text, 2, 2);
  };
  EXPECT_EQ(error_of(two_hosts, 2, 2), "");
  EXPECT_THAT(with("[0] -1/-1/-1->1->0", "[0] -1/-1/-1->1->3"),
              AllOf(HasSubstr("nccl.log:3:1:"),
                    HasSubstr("channel 0: rank 0 has the child 1, whose parent is 3")));
  EXPECT_THAT(with("[0] 1/2/-1->0->-1", "[0] 1/-1/-1->0->-1"),
              HasSubstr("channel 0: rank 2 has the parent 0, whose children are 1, -1, -1"));
  EXPECT_THAT(with("[0] 1/2/-1->0->-1", "[0] 1/2/-1->0->3"),
              HasSubstr("channel 0: rank 0 has the parent 3, whose children are -1, -1, -1"));
}

}  // namespace
}  // namespace ringscope
