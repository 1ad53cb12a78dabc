// SPDX-License-Identifier: LGPL-2.1-or-later
// Do schedulers of whole nodes get the placement that was found?
#include "topologies/placement/launch_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "topologies/cluster.hpp"

namespace ringscope {
namespace {

Topology gpu_hosts() { return read_cluster(Value::from_text("test", "gpu4x4_25g")).topology; }

/// The file of that format; "none" where it cannot say the placement.
std::string file_of(std::string_view format, const std::string& placement) {
  const Topology topology = gpu_hosts();
  const Placement placed = read_placement(Value::from_text("test", placement), topology);
  const auto found = std::ranges::find(launch_formats(), format, &LaunchFormat::name);
  return found->text({placed, topology, "tp-dp-pp"}).value_or("none");
}

const std::string around =
    "[{host: 2, gpu: 1}, {host: 2, gpu: 0}, {host: 0, gpu: 0}, "
    "{host: 0, gpu: 1}]";
const std::string comes_back = "[{host: 1, gpu: 0}, {host: 0, gpu: 0}, {host: 1, gpu: 1}]";

// YAML's flow style is JSON's, and so is the map read back by the reader of scenarios.
TEST(ARankMap, SaysTheHostAndTheGpuOfEachRank) {
  const Value map = Value::from_text("map", file_of("rank-map", around));
  EXPECT_EQ(map.find("groups")->text(), "tp-dp-pp");
  std::vector<std::string> rows;
  for (const Value& rank : map.find("ranks")->items())
    rows.push_back(rank.find("rank")->text() + " " + rank.find("host")->text() + " " +
                   rank.find("gpu")->text());
  EXPECT_EQ(rows, (std::vector<std::string>{"0 host2 1", "1 host2 0", "2 host0 0", "3 host0 1"}));
}

TEST(AVolcanoJob, HasATaskOnEachHostWithItsRanksAndTheirGpus) {
  const Value job = Value::from_text("job", file_of("volcano", comes_back));
  std::vector<std::string> rows;
  for (const Value& task : job.find("spec")->find("tasks")->items()) {
    const Value& pod = *task.find("template")->find("spec");
    const Value& container = pod.find("containers")->items().front();
    std::string row = task.find("name")->text() + " " + task.find("replicas")->text() + " " +
                      pod.find("nodeSelector")->find("kubernetes.io/hostname")->text();
    for (const Value& variable : container.find("env")->items())
      row += " " + variable.find("value")->text();
    rows.push_back(row);
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"node-0 1 host1 0 0,2 PCI_BUS_ID 0,1",
                                            "node-1 1 host0 1 1 PCI_BUS_ID 0"}));
  EXPECT_EQ(job.find("spec")->find("minAvailable")->text(), "2");
}

TEST(ATopologyAssignment, NamesTheNodesInTheOrderOfPods) {
  const Value table = Value::from_text("table", file_of("kueue", around));
  std::vector<std::string> rows;
  for (const Value& domain : table.find("topologyAssignment")->find("domains")->items())
    rows.push_back(domain.find("values")->items().front().text() + " " +
                   domain.find("count")->text());
  EXPECT_EQ(rows, (std::vector<std::string>{"host2 1", "host0 1"}));
}

// Pods number their ranks through, so that neither of these can be said.
TEST(ATopologyAssignment, IsNoneWhereRanksComeBackToAHostOrPodsDiffer) {
  EXPECT_EQ(file_of("kueue", comes_back), "none");
  EXPECT_EQ(file_of("kueue", "[{host: 1, gpu: 0}, {host: 1, gpu: 1}, {host: 0, gpu: 0}]"), "none");
}

}  // namespace
}  // namespace ringscope
