// SPDX-License-Identifier: LGPL-2.1-or-later
// Is one warned of what is known to go wrong, and of nothing else?
#include "topologies/graph/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> warnings_of(const std::string& cluster) {
  return warnings(read_cluster(Value::from_text("test", cluster)));
}

TEST(Warnings, shipped_clusters_draw_none) {
  for (const std::string& name : names_in("topologies/clusters"))
    EXPECT_THAT(warnings_of(name), IsEmpty()) << name;
}

TEST(Warnings, peers_and_an_iommu_are_named_with_their_hosts) {
  EXPECT_THAT(warnings_of("{base: gpu_pair, host: {iommu: true}}"),
              ElementsAre("peer access with an IOMMU is known to hang: switch the IOMMU off "
                          "(kernel options intel_iommu=off, amd_iommu=off or iommu=soft), or set "
                          "'peer_access: none', on host0, host1"));
  EXPECT_THAT(warnings_of("{base: gpu_pair, hosts: 9, host: {iommu: true}}").front(),
              testing::EndsWith("on host0, host1, host2 and 6 more"));
}

TEST(Warnings, slots_below_their_cable_are_named) {
  EXPECT_THAT(warnings_of("{base: gpu_pair, link: {bandwidth: 400 Gbit/s}}"),
              ElementsAre(testing::StartsWith("a slot slower than its network link limits "
                                              "host0/nic0")));
  EXPECT_THAT(warnings_of("{base: gpu_pair, link: {bandwidth: 250 Gbit/s}}"), IsEmpty());
}

TEST(Warnings, an_iommu_without_peers_on_pcie_is_fine) {
  EXPECT_THAT(warnings_of("{base: gpu_pair, host: {iommu: true, peer_access: none}}"), IsEmpty());
  EXPECT_THAT(warnings_of("{base: a100_nvswitch, host: {iommu: true}}"), IsEmpty());
  EXPECT_THAT(warnings_of("{base: rack3}"), IsEmpty());
}

TEST(Warnings, slips_are_named) {
  const std::string numa =
      "network: star\nhosts: 2\nlink: {bandwidth: 80 Gbit/s, latency: 1 us}\n"
      "host: {type: numa, memory_bandwidth: 90 GB/s";
  EXPECT_THAT(warnings_of(numa + "}"), ElementsAre(testing::HasSubstr("'socket_link: {")));
  EXPECT_THAT(warnings_of(numa + ", socket_link: {bandwidth: 9 GB/s}}"), IsEmpty());
  EXPECT_THAT(warnings_of("{base: rack3, host: {memory_bandwidth: 0.5 GB/s}}"),
              ElementsAre(testing::HasSubstr("'memory_bandwidth' in bits?")));
  EXPECT_THAT(warnings_of("{base: rack3, degraded: [{link: host0/nic0->switch, share: 1}]}"),
              ElementsAre(testing::HasSubstr("'share: 1'")));
  EXPECT_THAT(warnings_of("{base: rack3, routing: adaptive}"),
              ElementsAre(testing::HasSubstr("'routing' changes nothing")));
  EXPECT_THAT(warnings_of("{base: fat_tree, routing: adaptive, hash_seed: 4}"), IsEmpty());
}

}  // namespace
}  // namespace ringscope
