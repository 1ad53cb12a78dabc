// SPDX-License-Identifier: LGPL-2.1-or-later
// Do schedulers of whole nodes get the placement that was found?
#include "topologies/placement/launch_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "topologies/cluster.hpp"

namespace ringscope {
namespace {

Topology gpu_hosts() { return read_cluster(Value::from_text("test", "gpu4x4_25g")).topology; }

/// The file of that format; "none" where it cannot say the placement. `shared`: hosts with GPUs of
/// background jobs.
std::string file_of(std::string_view format, const std::string& placement,
                    const std::set<int>& shared = {}) {
  const Topology topology = gpu_hosts();
  const Placement placed = read_placement(Value::from_text("test", placement), topology);
  const auto found = std::ranges::find(launch_formats(), format, &LaunchFormat::name);
  return found->text({placed, topology, "tp-dp-pp", "", shared}).value_or("none");
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

// A container numbers its GPUs from 0, and a pod with all GPUs of such a host would never start.
TEST(AVolcanoJob, is_none_on_hosts_whose_gpus_background_jobs_use) {
  EXPECT_EQ(file_of("volcano", comes_back, {0}), "none");
  EXPECT_EQ(file_of("volcano", comes_back, {2}), file_of("volcano", comes_back));
}

TEST(LaunchFiles, note_that_gpus_have_the_numbers_of_whole_hosts) {
  for (const char* format : {"gpus", "torchrun", "kueue"}) {
    const std::string alone = file_of(format, around, {1}), shared = file_of(format, around, {0});
    EXPECT_EQ(alone, file_of(format, around)) << format;
    EXPECT_EQ(alone.find("from 0"), std::string::npos) << alone;
    EXPECT_NE(shared.find("numbers"), std::string::npos) << shared;
    EXPECT_NE(shared.find("from 0.\n"), std::string::npos) << shared;
  }
  EXPECT_TRUE(file_of("gpus", around, {0}).starts_with("#!/bin/sh\n# "));
}

TEST(SlurmsCommand, allocates_the_hosts_before_it_starts_the_ranks) {
  const Topology topology = gpu_hosts();
  const auto slurm = std::ranges::find(launch_formats(), "slurm", &LaunchFormat::name);
  const auto command = [&](const std::string& placement, const std::set<int>& shared) {
    const Placement placed = read_placement(Value::from_text("test", placement), topology);
    return slurm->command({placed, topology, "", "g.sh", shared}, "p.slurm");
  };
  EXPECT_TRUE(command(comes_back, {})
                  .starts_with("salloc --nodes=2 --exclusive --nodelist=host1,host0    #"));
  EXPECT_TRUE(command(comes_back, {1}).starts_with("salloc --nodes=2 --nodelist=host1,host0    #"));
  EXPECT_TRUE(command("0-2-1", {}).starts_with("salloc --nodes=2 --nodelist=host1,host2    #"));
  EXPECT_NE(command(comes_back, {}).find("\nSLURM_HOSTFILE=p.slurm srun -n 3 "), std::string::npos);
}

TEST(LaunchCommands, quote_names_of_files_that_a_shell_would_act_on) {
  const Topology topology = gpu_hosts();
  const Placement placed = read_placement(Value::from_text("test", around), topology);
  for (const char* name : {"rankfile", "hostfile", "slurm", "torchrun"}) {
    const auto format = std::ranges::find(launch_formats(), name, &LaunchFormat::name);
    const auto command = [&](const std::string& gpus, const std::string& file) {
      return format->command({placed, topology, "", gpus, {}}, file);
    };
    EXPECT_NE(command("", "it's; rm -r $HOME").find("'it'\\''s; rm -r $HOME'"), std::string::npos)
        << command("", "it's; rm -r $HOME");
    EXPECT_NE(command("", "best/p-1.txt").find("best/p-1.txt "), std::string::npos);
    if (std::string_view(name) == "torchrun") continue;
    EXPECT_NE(command("my gpus.sh", "p").find("sh 'my gpus.sh' PROGRAM"), std::string::npos);
  }
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
