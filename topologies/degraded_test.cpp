// Does a degraded link have less bandwidth, and no other?
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/complaint.hpp"

namespace ringscope {
namespace {

const std::string star =
    "network: star\nhosts: 2\nlink: {bandwidth: 8 GB/s, latency: 1 us, both: 10 GB/s}\n"
    "host: {type: simple}\n";

Cluster cluster_of(const std::string& degraded) {
  return read_cluster(Value::from_text("test", star + "degraded: " + degraded));
}

TEST(ADegradedLink, HasItsShareOfTheBandwidthBothWays) {
  const Topology topology = cluster_of("[{link: host1/nic0->switch, share: 0.25}]").topology;
  for (int id = 0; id < topology.link_count(); ++id) {
    const Link& link = topology.link(id);
    const double share = link.name.find("host1/nic0") != std::string::npos ? 0.25 : 1;
    if (!topology.is_cable(id)) continue;
    EXPECT_EQ(link.bandwidth.bytes_per_second, share * 8e9) << link.name;
    EXPECT_EQ(link.both.bytes_per_second, share * 10e9) << link.name;
  }
}

TEST(ADegradedLink, StaysInTheResolvedCluster) {
  const Cluster cluster = cluster_of("[{link: switch->host0/nic0, share: 0.5}]");
  const Cluster again = read_cluster(cluster.resolved);
  const auto slow = [](const Topology& topology) {
    int count = 0;
    for (int id = 0; id < topology.link_count(); ++id)
      count += topology.link(id).bandwidth.bytes_per_second == 4e9 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(slow(cluster.topology), 2);
  EXPECT_EQ(slow(again.topology), 2);
}

TEST(ADegradedLink, IsOneOfTheCluster) {
  EXPECT_NE(complaint_of([] {
              cluster_of("[{link: host1/nic0->swich, share: 0.5}]");
            }).find("did you mean 'host1/nic0->switch'?"),
            std::string::npos);
  EXPECT_NE(complaint_of([] { cluster_of("[{link: host1/nic0->switch, share: 2}]"); }), "");
  EXPECT_NE(complaint_of([] { cluster_of("half"); }), "");
}

}  // namespace
}  // namespace ringscope
