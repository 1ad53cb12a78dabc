// SPDX-License-Identifier: LGPL-2.1-or-later
// Do schedulers of whole nodes get the placement that was found?
#include "topologies/placement/launch/launch_formats.hpp"

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
const std::string whole = "{hosts: 4-0-4, on: gpu}";
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

// A pod with all GPUs of a host of which others use some would never start.
TEST(LaunchFiles, request_the_gpus_that_ranks_use_and_no_others) {
  const std::string job = "[{host: 1, gpu: 3}, {host: 1, gpu: 1}, {host: 0, gpu: 2}]";
  for (const std::set<int>& shared : {std::set<int>{}, {0}, {1}, {0, 1}}) {
    for (const char* format : {"volcano", "jobset"}) {
      const std::string text = file_of(format, job, shared);
      EXPECT_NE(text.find("CUDA_VISIBLE_DEVICES, value: \"1,0\"}\n"), std::string::npos) << text;
      EXPECT_NE(text.find("{nvidia.com/gpu: 2}"), std::string::npos) << text;
      EXPECT_NE(text.find("CUDA_VISIBLE_DEVICES, value: \"0\"}\n"), std::string::npos) << text;
      EXPECT_NE(text.find("{nvidia.com/gpu: 1}"), std::string::npos) << text;
      EXPECT_NE(text.find("\n# Pods with some of a host's GPUs "), std::string::npos) << text;
    }
    if (shared.empty()) continue;
    const std::string script = file_of("sbatch", job, shared);
    EXPECT_NE(script.find("#SBATCH --gpus=3\n"), std::string::npos) << script;
    EXPECT_NE(script.find("\nexport GPU_OF_RANK=1,0,0\n"), std::string::npos) << script;
    EXPECT_NE(script.find("\n# Slurm chooses the GPUs "), std::string::npos) << script;
  }
}

TEST(SlurmsScript, asks_for_the_gpus_of_ranks_where_all_nodes_have_as_many) {
  const std::string even = file_of("sbatch", around);
  EXPECT_NE(even.find("#SBATCH --ntasks-per-node=2\n#SBATCH --gpus-per-node=2\n# Slurm chooses "),
            std::string::npos)
      << even;
  EXPECT_NE(even.find("\nexport GPU_OF_RANK=1,0,0,1\n"), std::string::npos) << even;
  const std::string uneven = file_of("sbatch", comes_back);
  EXPECT_NE(uneven.find("#SBATCH --exclusive\n#SBATCH --gpus-per-node=4\n# Takes whole nodes, "),
            std::string::npos)
      << uneven;
  EXPECT_NE(uneven.find("\nexport GPU_OF_RANK=0,0,1\n"), std::string::npos) << uneven;
}

TEST(LaunchFiles, count_a_gpu_of_several_ranks_once) {
  const std::string twice = "[{host: 1, gpu: 3}, {host: 1, gpu: 3}, {host: 1, gpu: 2}]";
  for (const char* format : {"volcano", "jobset"}) {
    const std::string text = file_of(format, twice);
    EXPECT_NE(text.find("CUDA_VISIBLE_DEVICES, value: \"1,1,0\"}"), std::string::npos) << text;
    EXPECT_NE(text.find("{nvidia.com/gpu: 2}"), std::string::npos) << text;
  }
  const std::string script = file_of("sbatch", twice);
  EXPECT_NE(script.find("#SBATCH --ntasks-per-node=3\n#SBATCH --gpus-per-node=2\n"),
            std::string::npos)
      << script;
}

TEST(LaunchFiles, number_the_gpus_of_whole_hosts_as_the_hosts_do) {
  for (const char* format : {"volcano", "jobset"}) {
    const std::string text = file_of(format, whole, {1});
    EXPECT_NE(text.find("CUDA_VISIBLE_DEVICES, value: \"0,1,2,3\"}\n"), std::string::npos) << text;
    EXPECT_NE(text.find("{nvidia.com/gpu: 4}"), std::string::npos) << text;
    EXPECT_EQ(text.find("# Pods"), std::string::npos) << text;
  }
}

TEST(LaunchFiles, note_that_gpus_have_the_numbers_of_whole_hosts) {
  for (const char* format : {"gpus", "torchrun", "kueue"}) {
    const std::string alone = file_of(format, whole, {1}), shared = file_of(format, whole, {0});
    EXPECT_EQ(alone, file_of(format, whole)) << format;
    EXPECT_EQ(alone.find("from 0"), std::string::npos) << alone;
    for (const std::string& text : {shared, file_of(format, around)}) {
      EXPECT_NE(text.find("numbers"), std::string::npos) << text;
      EXPECT_NE(text.find("from 0.\n"), std::string::npos) << text;
    }
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
  EXPECT_TRUE(command(comes_back, {1})
                  .starts_with("salloc --nodes=2 --ntasks-per-node=2 --nodelist=host1,host0 "));
  EXPECT_TRUE(command("0-2-1", {})
                  .starts_with("salloc --nodes=2 --ntasks-per-node=2 --nodelist=host1,host2 "));
  EXPECT_NE(command(comes_back, {}).find("\nSLURM_HOSTFILE=p.slurm srun -n 3 "), std::string::npos);
}

TEST(SlurmsScript, asks_for_the_nodes_and_starts_each_rank_on_its_own) {
  const std::string alone = file_of("sbatch", whole);
  EXPECT_TRUE(
      alone.starts_with("#!/bin/sh\n"
                        "#SBATCH --nodes=2\n"
                        "#SBATCH --nodelist=host0,host2\n"
                        "#SBATCH --switches=1\n"
                        "#SBATCH --ntasks-per-node=4\n"
                        "#SBATCH --exclusive\n#SBATCH --gpus-per-node=4\n# "))
      << alone;
  EXPECT_NE(alone.find("\nexport GPU_OF_RANK=0,1,2,3,0,1,2,3\n"), std::string::npos);
  EXPECT_NE(file_of("sbatch", comes_back).find("<<'END'\nhost1\nhost0\nhost1\nEND\n"),
            std::string::npos);
  EXPECT_EQ(alone.find("CUDA_VISIBLE_DEVICES:?"), std::string::npos);
  const std::string cores = file_of("sbatch", "2-1");
  EXPECT_EQ(cores.find("--exclusive"), std::string::npos);
  EXPECT_TRUE(cores.ends_with("END\nsrun -n 3 --distribution=arbitrary \"$@\"\n")) << cores;
}

// Slurm chooses the GPUs that others leave: those of the placement are but as many.
TEST(SlurmsScript, counts_gpus_of_a_shared_host_as_its_allocation_does) {
  const std::string text = file_of("sbatch",
                                   "[{host: 1, gpu: 3}, {host: 0, gpu: 2}, "
                                   "{host: 1, gpu: 1}]",
                                   {1});
  EXPECT_NE(text.find("#SBATCH --ntasks=3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("#SBATCH --gpus=3\n"), std::string::npos) << text;
  EXPECT_NE(file_of("sbatch", around, {0}).find("#SBATCH --gpus-per-node=2\n"), std::string::npos);
  EXPECT_EQ(text.find("--exclusive"), std::string::npos);
  EXPECT_NE(text.find("\nexport GPU_OF_RANK=1,0,0\n"), std::string::npos);
  EXPECT_NE(text.find("${CUDA_VISIBLE_DEVICES:?"), std::string::npos);
}

/// Rows of a JobSet, a pod each: its job, node, values of its environment, GPUs that it requests.
std::vector<std::string> pods_of_jobset(const std::string& text) {
  const Value job = Value::from_text("job", text);
  std::vector<std::string> rows;
  for (const Value& one : job.find("spec")->find("replicatedJobs")->items()) {
    const Value& spec = *one.find("template")->find("spec");
    EXPECT_EQ(spec.find("completionMode")->text(), "Indexed");
    const Value& pod = *spec.find("template")->find("spec");
    const Value& container = pod.find("containers")->items().front();
    std::string row = one.find("name")->text() + " " +
                      pod.find("nodeSelector")->find("kubernetes.io/hostname")->text();
    for (const Value& variable : container.find("env")->items())
      row += " " + variable.find("value")->text();
    if (const Value* resources = container.find("resources"))
      row += " of " + resources->find("limits")->find("nvidia.com/gpu")->text();
    rows.push_back(row);
  }
  return rows;
}

TEST(AJobSet, has_a_job_on_each_host_with_its_ranks_and_their_gpus) {
  const std::string first = "placed-node-0-0-0.placed";
  EXPECT_EQ(pods_of_jobset(file_of("jobset", comes_back)),
            (std::vector<std::string>{"node-0 host1 0 0,2 " + first + " PCI_BUS_ID 0,1 of 2",
                                      "node-1 host0 1 1 " + first + " PCI_BUS_ID 0 of 1"}));
  EXPECT_EQ(pods_of_jobset(file_of("jobset", "0-1")),
            (std::vector<std::string>{"node-0 host1 0 0 " + first}));
}

// A container numbers from 0 what it has been given, in the order of the host's numbers.
TEST(AJobSet, requests_as_many_gpus_as_ranks_of_a_shared_host) {
  const std::string first = "placed-node-0-0-0.placed";
  EXPECT_EQ(pods_of_jobset(file_of("jobset",
                                   "[{host: 1, gpu: 3}, {host: 1, gpu: 1}, "
                                   "{host: 0, gpu: 2}]",
                                   {1})),
            (std::vector<std::string>{"node-0 host1 0 0,1 " + first + " PCI_BUS_ID 1,0 of 2",
                                      "node-1 host0 1 2 " + first + " PCI_BUS_ID 0 of 1"}));
}

// Where a Topology comes from no YAML, nothing has read its names.
TEST(LaunchFiles, refuse_names_that_no_host_may_have) {
  for (const char* name : {"a\"b", "n1\n#SBATCH --uid=0", "$(reboot)", "a: b", "a\\", "-x"}) {
    Topology topology = gpu_hosts();
    topology.host(0).name = name;
    const Placement placed = read_placement(Value::from_text("test", "1"), topology);
    const auto text = [&](std::string_view format) {
      const auto found = std::ranges::find(launch_formats(), format, &LaunchFormat::name);
      return *found->text({placed, topology, "", "", {}});
    };
    for (const LaunchFormat& format : launch_formats())
      EXPECT_THROW(text(format.name), InputError) << format.name << name;
  }
}

TEST(LaunchCommands, give_intel_mpi_its_machine_file) {
  const Topology topology = gpu_hosts();
  const Placement placed = read_placement(Value::from_text("test", "2-1"), topology);
  const auto intel = std::ranges::find(launch_formats(), "intel", &LaunchFormat::name);
  EXPECT_EQ(intel->command({placed, topology, "", "", {}}, "m"),
            "mpiexec -machinefile m -n 3 PROGRAM");
  EXPECT_EQ(file_of("intel", "2-1"), "host0:2\nhost1:1\n");
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
