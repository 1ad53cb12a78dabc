// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every broken placement draw exactly the error that helps?
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint_for_test.hpp"
#include "topologies/placement/placement.hpp"

namespace ringscope::placement_errors_test {
namespace {

const Broken broken[] = {
    {"4-3-",
     "x.yaml:1:1: expected ranks per host such as \"4-3-1\", got \"4-3-\"\n"
     "  4-3-\n"
     "  ^"},
    {"4-3-1-1",
     "x.yaml:1:1: the placement names more hosts than the cluster's 3\n"
     "  4-3-1-1\n"
     "  ^"},
    {"4,3,1",
     "x.yaml:1:1: expected ranks per host such as \"4-3-1\", got \"4,3,1\"\n"
     "  4,3,1\n"
     "  ^"},
    {"9x1",
     "x.yaml:1:1: 9 ranks on 'host0', which has 8 cores; set 'oversubscribe: true' to let them "
     "share; '9x1' is 9 ranks on each of 1: the other way round it is '1x9'\n"
     "  9x1\n"
     "  ^"},
    {"0-0",
     "x.yaml:1:1: the placement has no rank\n"
     "  0-0\n"
     "  ^"},
    {"9",
     "x.yaml:1:1: 9 ranks on 'host0', which has 8 cores; set 'oversubscribe: true' to let them "
     "share\n"
     "  9\n"
     "  ^"},
    {"2000000",
     "x.yaml:1:1: more than 1048576 ranks\n"
     "  2000000\n"
     "  ^"},
    {"{hosts: 4-3-1, map_by: nodes}",
     "x.yaml:1:24: unknown mapping 'nodes'; did you mean 'node'? (known: slot, node, numa, "
     "socket)\n"
     "  {hosts: 4-3-1, map_by: nodes}\n"
     "                         ^"},
    {"{hosts: 4-3-1, bind: cores}",
     "x.yaml:1:22: unknown binding 'cores'; did you mean 'core'? (known: core, numa, host, socket, "
     "none)\n"
     "  {hosts: 4-3-1, bind: cores}\n"
     "                       ^"},
    {"{hosts: 4-3-1, oversubscribe: yes}",
     "x.yaml:1:31: expected true or false, got \"yes\"\n"
     "  {hosts: 4-3-1, oversubscribe: yes}\n"
     "                                ^"},
    {"{hosts: 9-1}",
     "x.yaml:1:9: 9 ranks on 'host0', which has 8 cores; set 'oversubscribe: true' to let them "
     "share\n"
     "  {hosts: 9-1}\n"
     "          ^"},
    {"{bind: core}",
     "x.yaml:1:1: placement: the key 'hosts' is missing\n"
     "  {bind: core}\n"
     "  ^"},
    {"{hosts: 4, ranks: 4}",
     "x.yaml:1:12: placement: unknown key 'ranks' (known: hosts, map_by, bind, on, oversubscribe, "
     "memory, nics)\n"
     "  {hosts: 4, ranks: 4}\n"
     "             ^"},
    {"{hosts: 4, hostfile: x}",
     "x.yaml:1:22: 'hosts' and 'hostfile' exclude each other\n"
     "  {hosts: 4, hostfile: x}\n"
     "                       ^"},
    {"[]",
     "x.yaml:1:1: expected a placement such as 4-3-1, a map, or a list of one entry per rank\n"
     "  []\n"
     "  ^"},
    {"[{numa: 0}]",
     "x.yaml:1:2: placement[0]: the key 'host' is missing\n"
     "  [{numa: 0}]\n"
     "   ^"},
    {"[{host: 3}]",
     "x.yaml:1:9: expected a whole number from 0 to 2, got \"3\"\n"
     "  [{host: 3}]\n"
     "          ^"},
    {"[{host: hots1}]",
     "x.yaml:1:9: unknown host 'hots1'; did you mean 'host1'? (known: host0, host1, host2)\n"
     "  [{host: hots1}]\n"
     "          ^"},
    {"[{host: 0, numa: 1}]",
     "x.yaml:1:18: expected 0, got \"1\"\n"
     "  [{host: 0, numa: 1}]\n"
     "                   ^"},
    {"[{host: 0, core: 8}]",
     "x.yaml:1:18: expected a whole number from 0 to 7, got \"8\"\n"
     "  [{host: 0, core: 8}]\n"
     "                   ^"},
    {"[0, 1]",
     "x.yaml:1:1: expected a map for each rank such as {host: 0, core: 2}, got numbers; did you "
     "mean "
     "ranks per host, 0-1?\n"
     "  [0, 1]\n"
     "  ^"},
    {"{hostfile: /no/such}",
     "x.yaml:1:12: the hostfile '/no/such' cannot be read: No such file or directory\n"
     "  {hostfile: /no/such}\n"
     "             ^"},
    {"{hostfile: /}",
     "x.yaml:1:12: the hostfile '/' is a directory, expected a file\n"
     "  {hostfile: /}\n"
     "             ^"},
    {"{hosts: 4, on: gpu}",
     "x.yaml:1:9: 'host0' has no GPU\n"
     "  {hosts: 4, on: gpu}\n"
     "          ^"},
    {"[{host: 0, gpu: 0}]",
     "x.yaml:1:17: 'host0' has no GPU\n"
     "  [{host: 0, gpu: 0}]\n"
     "                  ^"},
    {"host0:4,host9:4",
     "x.yaml:1:9: unknown host 'host9' (known: host0, host1, host2)\n"
     "  host0:4,host9:4\n"
     "          ^"},
    {"host0:4,host1:0",
     "x.yaml:1:15: expected a whole number from 1 to 1048576, got \"0\"\n"
     "  host0:4,host1:0\n"
     "                ^"},
    {"host0:four",
     "x.yaml:1:7: expected a whole number from 1 to 1048576, got \"four\"\n"
     "  host0:four\n"
     "        ^"},
    {"host0:4,,host1",
     "x.yaml:1:9: expected hosts with their slots such as \"host0:4,host1:4\", got "
     "\"host0:4,,host1\"\n"
     "  host0:4,,host1\n"
     "          ^"},
    {"host0:9",
     "x.yaml:1:1: 9 ranks on 'host0', which has 8 cores; set 'oversubscribe: true' to let them "
     "share\n"
     "  host0:9\n"
     "  ^"},
    {"{cluster: {worker: [\"host0:1\", \"host1\"]}}",
     "x.yaml:1:32: expected a task's address such as \"host0:2222\", got \"host1\"\n"
     "  {cluster: {worker: [\"host0:1\", \"host1\"]}}\n"
     "                                 ^"},
    {"{cluster: {worker: host0}}",
     "x.yaml:1:20: expected a list of tasks such as [\"host0:2222\", \"host1:2222\"]\n"
     "  {cluster: {worker: host0}}\n"
     "                     ^"},
    {"{cluster: {workers: [\"host0:1\"]}}",
     "x.yaml:1:12: TF_CONFIG.cluster: unknown key 'workers'; did you mean 'worker'? (known: chief, "
     "master, worker, ps, evaluator)\n"
     "  {cluster: {workers: [\"host0:1\"]}}\n"
     "             ^"},
    {"{cluster: {evaluator: [\"host0:1\"]}}",
     "x.yaml:1:11: TF_CONFIG.cluster has no worker\n"
     "  {cluster: {evaluator: [\"host0:1\"]}}\n"
     "            ^"},
    {"4xx3",
     "x.yaml:1:1: expected ranks per host such as \"4-3-1\", got \"4xx3\"\n"
     "  4xx3\n"
     "  ^"},
    {"1x4",
     "x.yaml:1:1: the placement names more hosts than the cluster's 3\n"
     "  1x4\n"
     "  ^"},
    {"~",
     "x.yaml:1:1: expected a placement such as 4-3-1, a map, or a list of one entry per rank\n"
     "  ~\n"
     "  ^"},
};

const Broken broken_on_gpus[] = {
    {"{hosts: 5-4, on: gpu}",
     "x.yaml:1:9: 5 ranks on 'host0', which has 4 GPUs; set 'oversubscribe: true' to let them "
     "share\n"
     "  {hosts: 5-4, on: gpu}\n"
     "          ^"},
    {"{hosts: 4, on: gpus}",
     "x.yaml:1:16: unknown slot 'gpus'; did you mean 'gpu'? (known: core, gpu)\n"
     "  {hosts: 4, on: gpus}\n"
     "                 ^"},
    {"{hosts: 4, memory: {bind: 2}}",
     "x.yaml:1:27: expected a whole number from 0 to 1, got \"2\"\n"
     "  {hosts: 4, memory: {bind: 2}}\n"
     "                            ^"},
    {"{hosts: 4, memory: bind}",
     "x.yaml:1:20: expected the domain to bind to too, as in {bind: 0}\n"
     "  {hosts: 4, memory: bind}\n"
     "                     ^"},
    {"{hosts: 4, memory: lokal}",
     "x.yaml:1:20: unknown memory policy 'lokal'; did you mean 'local'? (known: local, interleave, "
     "bind)\n"
     "  {hosts: 4, memory: lokal}\n"
     "                     ^"},
    {"{hosts: 4, memory: {numa: 1}}",
     "x.yaml:1:20: memory: the key 'bind' is missing\n"
     "  {hosts: 4, memory: {numa: 1}}\n"
     "                     ^"},
    {"{hosts: 4, nics: both}",
     "x.yaml:1:18: unknown choice of NICs 'both' (known: nearest, all, nic0, nic1)\n"
     "  {hosts: 4, nics: both}\n"
     "                   ^"},
    {"{hosts: 4, nics: [nik1]}",
     "x.yaml:1:19: unknown NIC 'nik1'; did you mean 'nic1'? (known: nic0, nic1)\n"
     "  {hosts: 4, nics: [nik1]}\n"
     "                    ^"},
    {"[{host: 0, gpu: 4}]",
     "x.yaml:1:17: expected a whole number from 0 to 3, got \"4\"\n"
     "  [{host: 0, gpu: 4}]\n"
     "                  ^"},
    {"[{host: 0, gpus: 1}]",
     "x.yaml:1:12: placement[0]: unknown key 'gpus'; did you mean 'gpu'? (known: host, numa, core, "
     "gpu, memory, nics)\n"
     "  [{host: 0, gpus: 1}]\n"
     "             ^"},
};

TEST(PlacementErrors, of_gpus_memory_and_nics_too) {
  for (const auto& [input, complaint] : broken_on_gpus) {
    const auto read = [&text = input] {
      const Cluster pair = read_cluster(Value::from_text("test", "gpu_pair"));
      read_placement(Value::from_text("x.yaml", text), pair.topology);
    };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

TEST(PlacementErrors, say_what_was_expected_and_where) {
  for (const auto& [input, complaint] : broken) {
    const auto read = [&text = input] {
      const Cluster rack = read_cluster(Value::from_text("test", "rack3"));
      read_placement(Value::from_text("x.yaml", text), rack.topology);
    };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

}  // namespace
}  // namespace ringscope::placement_errors_test
