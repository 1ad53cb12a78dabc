// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every form of a placement put each rank where it says?
#include "topologies/placement/placement.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <set>
#include <tuple>

#include <filesystem>
#include <fstream>

#include "topologies/cluster.hpp"
#include "topologies/placement/places.hpp"

namespace ringscope {
namespace {

using testing::ElementsAre;

class Placements : public testing::Test {
 protected:
  Placement on(const std::string& cluster, const std::string& placement) const {
    const Cluster built = read_cluster(Value::from_text("test", cluster));
    return read_placement(Value::from_text("test", placement), built.topology);
  }
  Placement with_hostfile(const std::string& text, const std::string& more) const {
    const std::string path = testing::TempDir() + "ringscope_hostfile_" + std::to_string(getpid());
    std::ofstream(path) << text;
    const Placement placement = on("rack3", "{hostfile: " + path + more + "}");
    std::filesystem::remove(path);
    return placement;
  }
};
using Hostfile = Placements;

std::vector<int> hosts_of(const Placement& placement) {
  std::vector<int> hosts;
  for (const Location& rank : placement.ranks) hosts.push_back(rank.host);
  return hosts;
}
std::vector<std::pair<int, int>> cores_of(const Placement& placement) {
  std::vector<std::pair<int, int>> cores;
  for (const Location& rank : placement.ranks) cores.emplace_back(rank.numa, rank.core);
  return cores;
}
std::vector<int> gpus_of(const Placement& placement) {
  std::vector<int> gpus;
  for (const Location& rank : placement.ranks) gpus.push_back(rank.gpu);
  return gpus;
}

TEST_F(Placements, counts_fill_one_host_after_the_other) {
  const Placement placement = on("rack3", "4-3-1");
  EXPECT_EQ(placement.text, "4-3-1");
  EXPECT_THAT(hosts_of(placement), ElementsAre(0, 0, 0, 0, 1, 1, 1, 2));
  EXPECT_EQ(placement.ranks[3].core, 3);
  EXPECT_EQ(placement.ranks[7].core, 0);
  EXPECT_EQ(placement.ranks[0].binding, Binding::core);
}

TEST_F(Placements, an_empty_host_is_skipped) {
  const Placement placement = on("rack3", "2-0-2");
  EXPECT_EQ(placement.text, "2-0-2");
  EXPECT_THAT(hosts_of(placement), ElementsAre(0, 0, 2, 2));
}

TEST_F(Placements, one_count_is_one_host) {
  EXPECT_EQ(on("rack3", "8").text, "8");
  EXPECT_EQ(on("rack3", "{hosts: 8}").ranks.size(), 8u);
}

TEST_F(Placements, a_count_may_stand_for_many_hosts) {
  const Placement placement = on("star64", "2x63-1");
  EXPECT_EQ(placement.ranks.size(), 2u * 63 + 1);
  EXPECT_EQ(placement.ranks.back().host, 63);
  EXPECT_EQ(placement.text, "2x63-1");
  EXPECT_EQ(on("star64", "1x3").text, "1-1-1");
}

TEST_F(Placements, by_node_ranks_go_round_the_hosts) {
  const Placement placement = on("rack3", "{hosts: 4-3-1, map_by: node}");
  EXPECT_THAT(hosts_of(placement), ElementsAre(0, 1, 2, 0, 1, 0, 1, 0));
  EXPECT_EQ(placement.text, "4-3-1 by node");
}

TEST_F(Placements, by_numa_ranks_go_round_the_domains_of_a_host) {
  EXPECT_THAT(cores_of(on("numa_pair", "{hosts: 3, map_by: numa}")),
              ElementsAre(std::pair(0, 0), std::pair(1, 0), std::pair(0, 1)));
  const Placement filled = on("numa_pair", "{hosts: 9}");
  EXPECT_EQ(filled.ranks[7].numa, 0);
  EXPECT_EQ(filled.ranks[8].numa, 1);
  EXPECT_EQ(filled.ranks[8].core, 0);
}

TEST_F(Placements, bind_is_kept) {
  const Placement placement = on("numa_pair", "{hosts: 2-1, bind: numa, map_by: numa}");
  EXPECT_EQ(placement.ranks[1].binding, Binding::numa);
  EXPECT_EQ(placement.ranks[1].numa, 1);
  EXPECT_EQ(placement.text, "2-1 by numa on numa");
}

TEST_F(Placements, mpis_word_for_going_round_the_sockets_is_understood) {
  const Placement ours = on("numa_pair", "{hosts: 3, map_by: numa}");
  const Placement theirs = on("numa_pair", "{hosts: 3, map_by: socket}");
  EXPECT_EQ(theirs.text, ours.text);
  for (std::size_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(theirs.ranks[rank].numa, ours.ranks[rank].numa) << rank;
}

TEST(CountsOfRanks, SayWhichNumberIsWhich) {
  EXPECT_EQ(counts_words("16x32"), "16 ranks on each of 32 hosts");
  EXPECT_EQ(counts_words("4x64-1 on gpu"), "4 ranks on each of 64 hosts, then 1 on one");
  EXPECT_EQ(counts_words("3-1x4 by node"), "3 ranks on one, then 1 on each of 4 hosts");
  EXPECT_EQ(counts_words("8x16, all NICs"), "8 ranks on each of 16 hosts");
  EXPECT_EQ(counts_words("4-3-1"), "");
  EXPECT_EQ(counts_words("0x3 1x2 0"), "");
}

TEST_F(Placements, mpis_words_for_a_binding_are_understood) {
  EXPECT_EQ(on("numa_pair", "{hosts: 2-1, bind: socket}").ranks[0].binding, Binding::numa);
  EXPECT_EQ(on("numa_pair", "{hosts: 2-1, bind: none}").ranks[0].binding, Binding::host);
}

TEST_F(Placements, oversubscribed_cores_are_shared_in_turn) {
  const Placement placement = on("rack3", "{hosts: 10, oversubscribe: true}");
  EXPECT_EQ(placement.ranks[8].core, 0);
  EXPECT_EQ(placement.ranks[9].core, 1);
}

TEST_F(Placements, a_list_says_it_rank_by_rank) {
  const Placement placement =
      on("numa_pair", "[{host: 1, numa: 1, core: 2}, {host: host0}, {host: 0, numa: 1}]");
  EXPECT_THAT(hosts_of(placement), ElementsAre(1, 0, 0));
  EXPECT_EQ(placement.ranks[0].numa, 1);
  EXPECT_EQ(placement.ranks[0].core, 2);
  EXPECT_EQ(placement.ranks[0].binding, Binding::core);
  EXPECT_EQ(placement.ranks[1].binding, Binding::host);
  EXPECT_EQ(placement.ranks[2].binding, Binding::numa);
  EXPECT_EQ(placement.text, "2-1 listed");
}

TEST_F(Placements, on_gpu_rank_i_sits_on_gpu_i_and_on_a_core_near_it) {
  const Placement placement = on("gpu_pair", "{hosts: 3-4, on: gpu}");
  EXPECT_EQ(placement.text, "3-4 on gpu");
  EXPECT_THAT(gpus_of(placement), ElementsAre(0, 1, 2, 0, 1, 2, 3));
  // Two GPUs below the switch of each socket.
  EXPECT_THAT(cores_of(placement),
              ElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(1, 0), std::pair(0, 0),
                          std::pair(0, 1), std::pair(1, 0), std::pair(1, 1)));
  EXPECT_THAT(gpus_of(on("gpu_pair", "4-4")), testing::Each(-1));
}

TEST_F(Placements, gpus_by_numa_go_round_the_sockets) {
  const Placement placement = on("gpu_pair", "{hosts: 4, on: gpu, map_by: numa}");
  EXPECT_THAT(gpus_of(placement), ElementsAre(0, 2, 1, 3));
  EXPECT_EQ(placement.text, "4 by numa on gpu");
}

TEST_F(Placements, gpus_whose_socket_has_too_few_cores_share_them) {
  const Placement placement =
      on("{base: gpu_pair, host: {cores: 3, gpus_per_switch: 4, sockets: 2}}",
         "{hosts: 6, on: gpu, bind: numa}");
  EXPECT_THAT(cores_of(placement), ElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(0, 2),
                                               std::pair(0, 0), std::pair(1, 0), std::pair(1, 1)));
  EXPECT_EQ(placement.text, "6 on gpu, bound to numa");
}

TEST_F(Placements, oversubscribed_gpus_are_shared_in_turn) {
  const Placement placement = on("gpu_pair", "{hosts: 6, on: gpu, oversubscribe: true}");
  EXPECT_THAT(gpus_of(placement), ElementsAre(0, 1, 2, 3, 0, 1));
}

TEST_F(Placements, memory_and_nics_are_those_of_all_ranks) {
  const Placement bound = on("numa_pair", "{hosts: 2-2, memory: {bind: 1}}");
  EXPECT_EQ(bound.ranks[3].memory, (MemoryPolicy{MemoryPolicy::Kind::bind, 1}));
  EXPECT_EQ(bound.text, "2-2, memory on numa 1");
  const Placement spread = on("gpu_pair", "{hosts: 4-4, on: gpu, memory: interleave, nics: all}");
  EXPECT_EQ(spread.ranks[0].memory.kind, MemoryPolicy::Kind::interleave);
  EXPECT_EQ(spread.ranks[7].nics, NicChoice::all);
  EXPECT_EQ(spread.text, "4-4 on gpu, memory interleaved, all NICs");
  EXPECT_EQ(on("numa_pair", "{hosts: 2-2, memory: local, nics: nearest}").text, "2-2");
}

TEST_F(Placements, one_nic_is_named_by_its_index) {
  const std::string numa2 =
      "{network: star, hosts: 2, link: {bandwidth: 1 GB/s, latency: 1 us}, "
      "host: {type: numa, sockets: 2, cores: 4, nics: [{domain: 0}, {domain: 1}]}}";
  const Placement placement = on(numa2, "{hosts: 2-2, nics: [1]}");
  EXPECT_EQ(placement.text, "2-2, NIC 1");
  EXPECT_EQ(placement.ranks[3].nics, NicChoice::named);
  EXPECT_EQ(placement.ranks[3].nic, 1);
  EXPECT_THROW(on(numa2, "{hosts: 2-2, nics: [2]}"), InputError);
  EXPECT_THROW(on(numa2, "{hosts: 2-2, nics: [0, 1]}"), InputError);
}

TEST_F(Placements, a_nic_is_named_by_its_interface) {
  const std::string named =
      "{network: star, hosts: 2, link: {bandwidth: 1 GB/s, latency: 1 us}, "
      "host: {type: numa, nics: [{}, {name: enp216s0, domain: 1}]}}";
  for (const char* nics : {"enp216s0", "[enp216s0]", "[1]"}) {
    const Placement placement = on(named, fmt::format("{{hosts: 1-1, nics: {}}}", nics));
    EXPECT_EQ(placement.text, "1-1, NIC enp216s0");
    EXPECT_EQ(placement.ranks[1].nics, NicChoice::named);
    EXPECT_EQ(placement.ranks[1].nic, 1);
  }
  EXPECT_EQ(on(named, "{hosts: 1-1, nics: nic0}").ranks[0].nic, 0);
}

TEST_F(Placements, a_list_may_name_gpu_memory_and_nics) {
  const Placement placement = on("gpu_pair",
                                 "[{host: 0, gpu: 2}, {host: 0, gpu: 3, numa: 0, core: 4},"
                                 " {host: 1, memory: {bind: 1}, nics: all}]");
  EXPECT_THAT(gpus_of(placement), ElementsAre(2, 3, -1));
  EXPECT_THAT(cores_of(placement), ElementsAre(std::pair(1, 0), std::pair(0, 4), std::pair(0, 0)));
  EXPECT_EQ(placement.ranks[0].binding, Binding::numa);
  EXPECT_EQ(placement.ranks[1].binding, Binding::core);
  EXPECT_EQ(placement.ranks[2].binding, Binding::host);
  EXPECT_EQ(placement.ranks[2].memory.domain, 1);
  EXPECT_EQ(placement.text, "2-1 listed");
  EXPECT_EQ(on("gpu_pair", "[{host: 0, gpu: 2, memory: interleave}]").text,
            "1 listed on gpu, memory interleaved");
}

TEST_F(Hostfile, slots_are_filled_in_the_order_of_the_file) {
  const std::string file =
      "# a rack\nhost2 slots=2\n\n  host0 slots=1 max_slots=4 # one\nhost1:3\n";
  EXPECT_THAT(hosts_of(with_hostfile(file, "")), ElementsAre(2, 2, 0, 1, 1, 1));
  EXPECT_THAT(hosts_of(with_hostfile(file, ", ranks: 4")), ElementsAre(2, 2, 0, 1));
  EXPECT_THAT(hosts_of(with_hostfile(file, ", map_by: node")), ElementsAre(2, 0, 1, 2, 1, 1));
  EXPECT_THAT(hosts_of(with_hostfile(file, ", map_by: node, ranks: 4")), ElementsAre(2, 0, 1, 2));
}

TEST_F(Hostfile, a_host_without_slots_has_one_for_each_core) {
  EXPECT_EQ(with_hostfile("host1\r\n", "").ranks.size(), 8u);
}

TEST_F(Hostfile, ranks_beyond_the_slots_go_round_again_when_allowed) {
  const std::string file = "host0 slots=2\nhost1 slots=1\n";
  EXPECT_THAT(with_hostfile(file, ", ranks: 5, oversubscribe: true").text, "4-1");
  EXPECT_THAT(with_hostfile(file, ", ranks: 5, oversubscribe: true, map_by: node").text,
              "3-2 by node");
}

TEST(PlacementGroups, follow_each_other_on_cores_that_the_ones_before_have_left) {
  const Topology topology = read_cluster(Value::from_text("test", "base: gpu4x4_25g")).topology;
  const auto read = [&](const std::string& text) {
    return read_placement(Value::from_text("test", text), topology);
  };
  const Placement both = read("[{hosts: 2-2, on: gpu}, {hosts: 1-1}]");
  EXPECT_EQ(both.text, "2-2 on gpu and 1-1");
  ASSERT_EQ(both.ranks.size(), 6U);
  EXPECT_EQ(both.ranks[3].gpu, 1);
  std::set<std::tuple<int, int, int>> cores;
  for (const Location& rank : both.ranks) cores.insert({rank.host, rank.numa, rank.core});
  EXPECT_EQ(cores.size(), 6U);
  EXPECT_EQ(both.ranks[4].host, 0);
  EXPECT_EQ(both.ranks[5].host, 1);
  EXPECT_EQ(both.ranks[5].gpu, -1);
}

}  // namespace
}  // namespace ringscope
