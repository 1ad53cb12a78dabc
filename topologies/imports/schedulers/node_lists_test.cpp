// SPDX-License-Identifier: LGPL-2.1-or-later
// Are hosts free where their scheduler lists them so? The tables and nodes of Slurm are what Slurm
// 22.05 printed of four nodes: one in use in part, one drained.
#include "topologies/imports/schedulers/node_lists.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "topologies/cluster.hpp"

#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::node_lists_test {
namespace {

/// "host1 0 0, host3 3 2": hosts with their free cores and GPUs; "-" for all.
std::string free_slots_of(const std::string& text) {
  static const Topology topology = read_cluster(Value::from_text("test", "gpu4x4_25g")).topology;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("ringscope_nodes_{}", getpid());
  std::ofstream(path) << text;
  std::string found;
  try {
    const Value value = Value::from_text("test", path.string());
    for (const FreeSlots& free : read_free_slots(value, topology)) {
      found += fmt::format("{}{}", found.empty() ? "" : ", ", topology.hosts()[free.host].name);
      for (const int slots : {free.cores, free.gpus})
        found += slots == all_slots ? " -" : fmt::format(" {}", slots);
    }
  } catch (const InputError& error) {
    found = error.what();
    found.erase(0, path.string().size());
  }
  std::filesystem::remove(path);
  return found;
}

const std::string sinfo =
    "Fri Nov 27 21:24:08 2026\n"
    "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON\n"
    "host0          1      all*        idle 4       4:1:1      1        0      1   (null) none\n"
    "host1          1      all*     drained 4       4:1:1      1        0      1   (null) bad "
    "cable\n"
    "host2          1      all*        idle 4       4:1:1      1        0      1   (null) none\n"
    "host3          1      all*       mixed 4       4:1:1      1        0      1   (null) none\n";

const std::string node0 =
    "NodeName=host0 Arch=x86_64 CoresPerSocket=1 \n"
    "   CPUAlloc=0 CPUEfctv=4 CPUTot=4 CPULoad=12.46\n"
    "   Gres=gpu:4\n"
    "   GresUsed=gpu:0\n"
    "   NodeAddr=10.77.0.1 NodeHostName=host0 Port=17000 Version=22.05.8\n"
    "   OS=Linux 6.18.44 #1 SMP PREEMPT_DYNAMIC @0 \n"
    "   State=IDLE ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n"
    "   CfgTRES=cpu=4,mem=1M,billing=4\n"
    "   AllocTRES=\n\n";

std::string node3(const std::string& state, const std::string& more) {
  return "NodeName=host3 NodeHostName=n3 CPUAlloc=2 CPUEfctv=8 CPUTot=8 State=" + state +
         " ThreadsPerCore=2 Reason=Not responding " + more + "\n";
}

const std::string squeue =
    "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
    "                10       all    sleep     root PD       0:00      1 (ReqNodeNotAvail, "
    "UnavailableNodes:host2)\n"
    "                 9       all    sleep     root  R       0:02      3 host[1,3],login\n";

TEST(NodesOfSlurm, are_free_by_the_state_that_sinfo_prints) {
  EXPECT_EQ(free_slots_of(sinfo), "host0 - -, host1 0 0, host2 - -, host3 0 0");
  EXPECT_EQ(free_slots_of("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
                          "all*         up   infinite      1    mix host3\n"
                          "all*         up   infinite      3   idle host[0-2]\n"
                          "none         up   infinite      0    n/a \n"),
            "host3 0 0, host0 - -, host1 - -, host2 - -");
}

TEST(NodesOfSlurm, have_what_scontrol_lists_as_unused) {
  EXPECT_EQ(
      free_slots_of(node0 + node3("MIXED", "Gres=gpu:h100:4(S:0-1) GresUsed=gpu:h100:1(IDX:0)")),
      "host0 - -, host3 3 3");
  EXPECT_EQ(free_slots_of(node3("MIXED",
                                "Gres=gpu:a:2,gpu:b:2,nic:1 CfgTRES=cpu=8,gres/gpu=4 "
                                "AllocTRES=cpu=2,gres/gpu=3,gres/gpu:a=2")),
            "host3 3 1");
  // How many GPUs the jobs use is nowhere listed.
  EXPECT_EQ(free_slots_of(node3("MIXED", "Gres=gpu:4 CfgTRES=cpu=8 AllocTRES=cpu=2")), "host3 3 0");
  EXPECT_EQ(free_slots_of(node3("IDLE+DRAIN", "Gres=gpu:4")), "host3 0 0");
}

TEST(NodesOfSlurm, are_taken_by_jobs_that_squeue_lists) {
  EXPECT_EQ(free_slots_of(squeue), "host1 0 0, host3 0 0");
  EXPECT_EQ(free_slots_of(squeue.substr(0, squeue.find('\n') + 1)), "");
  EXPECT_EQ(free_slots_of(R"({"jobs": [{"job_state": "COMPLETED", "nodes": "host0"},
                              {"job_state": "PENDING", "nodes": ""},
                              {"job_state": ["RUNNING"], "nodes": "host[2-3]"}]})"),
            "host2 0 0, host3 0 0");
}

TEST(StatesOfSlurm, are_free_only_without_flags_that_keep_jobs_away) {
  for (const char* state : {"idle", "IDLE", "idle~", "idle#", "IDLE+CLOUD+POWERED_DOWN"})
    EXPECT_EQ(node_state(state), NodeState::free) << state;
  for (const char* state : {"mix", "MIXED", "MIXED+CLOUD"})
    EXPECT_EQ(node_state(state), NodeState::shared) << state;
  for (const char* state : {"", "alloc", "down*", "idle*", "IDLE+RESERVED", "MIXED+DRAIN", "resv"})
    EXPECT_EQ(node_state(state), NodeState::taken) << state;
  for (const char* state : {"RUNNING", "COMPLETING"}) EXPECT_TRUE(holds_nodes(state));
  for (const char* state : {"", "PENDING", "COMPLETED", "FAILED"})
    EXPECT_FALSE(holds_nodes(state)) << state;
}

std::string kubernetes_node(const std::string& name, const std::string& spec,
                            const std::string& ready = "True", const std::string& gpus = "4") {
  return fmt::format(
      R"({{"kind": "Node", "metadata": {{"name": "{0}"}},
      "spec": {{{1}}}, "status": {{"allocatable": {{"cpu": "7800m", "memory": "1Ki",
      "nvidia.com/gpu": "{3}"}}, "conditions": [{{"type": "DiskPressure", "status": "False"}},
      {{"type": "Ready", "status": "{2}"}}]}}}})",
      name, spec, ready, gpus);
}

std::string kubernetes_pod(const std::string& node, const std::string& phase,
                           const std::string& cpus = "2", const std::string& gpus = "3") {
  return fmt::format(
      R"({{"kind": "Pod", "spec": {{"nodeName": "{}", "containers": [{{"resources": {{"requests":
      {{"cpu": "{}", "nvidia.com/gpu": "{}"}}}}}}, {{}}]}}, "status": {{"phase": "{}"}}}})",
      node, cpus, gpus, phase);
}

std::string listed(const std::vector<std::string>& items) {
  return fmt::format(R"({{"kind": "List", "items": [{}]}})", fmt::join(items, ", "));
}

TEST(NodesOfKubernetes, take_pods_unless_they_are_marked) {
  const std::string taint = R"("taints": [{{"key": "{}", "effect": "{}"}}])";
  EXPECT_EQ(
      free_slots_of(listed(
          {kubernetes_node("host0", ""), kubernetes_node("host1", R"("unschedulable": true)"),
           kubernetes_node("host2", "", "Unknown"), kubernetes_node("host3", "", "True", "3")})),
      "host0 7 4, host1 0 0, host2 0 0, host3 7 3");
  EXPECT_EQ(free_slots_of(listed(
                {kubernetes_node("host0",
                                 fmt::format(fmt::runtime(taint), "nvidia.com/gpu", "NoSchedule")),
                 kubernetes_node("host1", fmt::format(fmt::runtime(taint), "team", "NoSchedule")),
                 kubernetes_node("host2",
                                 fmt::format(fmt::runtime(taint), "team", "PreferNoSchedule"))})),
            "host0 7 4, host1 0 0, host2 7 4");
}

TEST(NodesOfKubernetes, have_what_pods_leave) {
  EXPECT_EQ(
      free_slots_of(listed({kubernetes_pod("host1", "Running"), kubernetes_node("host0", ""),
                            kubernetes_node("host1", ""), kubernetes_pod("host0", "Succeeded")})),
      "host0 7 4, host1 5 1");
}

// 7.8 CPUs without three times 0.9.
TEST(NodesOfKubernetes, add_up_the_parts_of_cpus_that_pods_request) {
  const std::string pod = kubernetes_pod("host0", "Running", "900m", "0");
  EXPECT_EQ(free_slots_of(listed({kubernetes_node("host0", ""), pod, pod, pod})), "host0 5 4");
}

TEST(NodeLists, name_what_is_wrong) {
  const Broken broken[] = {
      {"NodeName=other State=IDLE\n",
       ":1:10: unknown host 'other' (known: host0, host1, host2, host3)\n"
       "  NodeName=other State=IDLE\n"
       "           ^"},
      {"NodeName=h$(x) State=IDLE\n",
       ":1:10: expected a host's name of letters, digits, '.', '_' and '-', got 'h$(x)'\n"
       "  NodeName=h$(x) State=IDLE\n"
       "           ^"},
      {"NodeName=host0 State=MIXED CPUTot=four\n",
       ":1:35: expected a whole number from 0 to 1048576, got \"four\"\n"
       "  NodeName=host0 State=MIXED CPUTot=four\n"
       "                                    ^"},
      {"NODELIST STATE\n", ": expected nodes of 'sinfo', got none"},
      {"{\"items\": []}", ": expected nodes of 'kubectl get nodes -o json', got none"},
      {"NODELIST NODES\n",
       ":1:1: expected a table with the column STATE\n"
       "  NODELIST NODES\n"
       "  ^"},
      {"host9\n",
       ":1:1: unknown host 'host9' (known: host0, host1, host2, host3)\n"
       "  host9\n"
       "  ^"},
  };
  for (const auto& [text, message] : broken) EXPECT_EQ(free_slots_of(text), message);
  EXPECT_EQ(free_slots_of("{\"items\": ["), ": byte 12: the list is cut off here, or no JSON");
  EXPECT_EQ(free_slots_of("{\"items\": [{}, {\"kind\": \"Node\", \"metadata\": {\"name\": 7}}]}"),
            ": items[1] is not as its program writes it: key 'spec' not found");
}

TEST(NodeLists, are_read_or_refused_whatever_is_cut_off_or_changed) {
  std::mt19937 random(5);
  for (const std::string& text :
       {sinfo, node0 + node3("MIXED", "Gres=gpu:4 GresUsed=gpu:1"), squeue,
        listed({kubernetes_node("host0", ""), kubernetes_pod("host0", "")})})
    for (int i = 0; i < 200; ++i) {
      std::string changed = text.substr(0, random() % text.size());
      if (!changed.empty() && i % 2 == 0)
        changed[random() % changed.size()] = "[](){}=,:\"$\n -0"[random() % 15];
      const std::string found = free_slots_of(changed);
      EXPECT_TRUE(
          found.find('$') == std::string::npos || found.find("expected") != std::string::npos ||
          found.find("unknown") != std::string::npos || found.find("JSON") != std::string::npos)
          << found;
    }
}

}  // namespace
}  // namespace ringscope::node_lists_test
