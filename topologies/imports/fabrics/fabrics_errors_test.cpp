// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every broken description of a network draw an error that names its place, and none a crash?
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "topologies/cluster.hpp"
#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope {
namespace {

const Broken broken[] = {
    {"hello\n",
     "x: no known description of a network; expected one of: ibnetdiscover (output of "
     "ibnetdiscover or iblinkinfo), slurm_conf (Slurm's topology.conf), slurm_yaml (Slurm's "
     "topology.yaml), topograph (a model of NVIDIA's topograph), kubernetes (`kubectl get nodes -o "
     "json`), nvidia_smi_q (`nvidia-smi -q` of several hosts, as pdsh prints it), ec2 (`aws ec2 "
     "describe-instance-topology`)"},
    {"  1  1[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  2  3[  ] \"leaf1\" ( )\n",
     "x:1:3: expected 'CA: NAME:' or 'Switch: GUID NAME:' above its ports, got '1'\n"
     "    1  1[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  2  3[  ] \"leaf1\" ( )\n    ^"},
    {"CA: n1 mlx5_0:\n 1  1[  ] ==( 4X  7 Gbps Active/  LinkUp)==>  2  3[  ] \"l\" ( )\n",
     "x:2:17: expected a lane's speed such as 53.125, got '7'\n"
     "   1  1[  ] ==( 4X  7 Gbps Active/  LinkUp)==>  2  3[  ] \"l\" ( )\n                  ^"},
    {"CA: n1 mlx5_0:\n 1  1[  ] ==( 4X  10.0 Gbps Active/  LinkUp)==> [  ] \"\" ( )\n",
     "x:2:49: expected a LID, got '['\n   1  1[  ] ==( 4X  10.0 Gbps Active/  LinkUp)==> [  ] \"\" "
     "( )\n                                                  ^"},
    {"{\"Instances\": [{\"InstanceId\": \"i1\", \"NetworkNodes\": [\"a\", \"b\", \"c\", "
     "\"d\", \"e\"]}]}",
     "x: i1: expected at most 4 NetworkNodes, got 5"},
    {"{\"Instances\": [{\"NetworkNodes\": [\"a\"]}]}",
     "x: Instances[0] is not as its program writes it: key 'InstanceId' not found"},
    {"{\"items\": [{\"kind\": \"Node\", \"metadata\": {\"name\": \"n;1\"}}]}",
     "x: expected a host's name of letters, digits, '.', '_' and '-', got 'n;1'"},
    {"{\"items\": [{\"kind\": \"Node\", \"metadata\": {\"name\": \"n1\"}}, {\"kind\": \"Node\", "
     "\"metadata\": {\"name\": \"n1\"}}]}",
     "x: duplicate 'n1' below 'top'"},
    {"{\"items\": [], \"kind\": \"Node\"}", "x: no host is plugged into a switch"},
    {"        ClusterUUID                       : N/A\n",
     "x: expected lines behind the names of their hosts, as `pdsh -w n[1-18] nvidia-smi -q` prints "
     "them"},
    {"caguid=0x1\n", "x: expected nodes and their links, got no link"},
    {"caguid=0x1\nhello\n",
     "x:2:1: expected a node (Switch, Ca, Rt) or a port such as [12], got 'hello'\n"
     "  hello\n"
     "  ^"},
    {"caguid=0x1\n[1] \"H-1\"[1] # \"n mlx5_0\" lid 2 4xNDR\n",
     "x:2:1: expected a node (Switch, Ca, Rt) above its ports, got '[1]'\n"
     "  [1] \"H-1\"[1] # \"n mlx5_0\" lid 2 4xNDR\n"
     "  ^"},
    {"caguid=0x1\nSwitch 36 \"S-1\"\n[1] \"H-1\"[1] # \"n mlx5_0\" lid 2 4xNDX\n",
     "x:3:33: expected the link's width and speed, such as 4xNDR, got '4xNDX'\n"
     "  [1] \"H-1\"[1] # \"n mlx5_0\" lid 2 4xNDX\n"
     "                                  ^"},
    {"caguid=0x1\nSwitch 36 \"S-1\"\n[1] \"H-1\"[1] # \"n mlx5_0\" lid 2 4xNDR\n"
     "[1] \"H-2\"[1] # \"m mlx5_0\" lid 3 4xNDR\n",
     "x:4:5: port 1 of 'S-1' has another link already, on line 3\n"
     "  [1] \"H-2\"[1] # \"m mlx5_0\" lid 3 4xNDR\n"
     "      ^"},
    {"caguid=0x1\nSwitch 36 \"S-1\"\n[1] \"H-1\"[1] # \"n mlx5_0\" lid 2 4xNDR\n"
     "Ca 1 \"H-1\" # \"n mlx5_0\"\n[1] \"S-1\"[1] # lid 2 lmc 0 \"s\" lid 1 4xHDR\n",
     "x:5:5: the link at port 1 of 'H-1' has another speed on line 3\n"
     "  [1] \"S-1\"[1] # lid 2 lmc 0 \"s\" lid 1 4xHDR\n"
     "      ^"},
    {"caguid=0x1\nSwitch 36 \"S-1\"\nSwitch 36 \"S-1\"\n",
     "x:3:10: duplicate node 'S-1', first on line 2\n"
     "  Switch 36 \"S-1\"\n"
     "           ^"},
    {"caguid=0x1\nSwitch 36 \"S-1\"\n[1] \"H-1\"[1] # \"n;x mlx5_0\" lid 2 4xNDR\n",
     "x:3:17: expected a host's name of letters, digits, '.', '_' and '-', got 'n;x'\n"
     "  [1] \"H-1\"[1] # \"n;x mlx5_0\" lid 2 4xNDR\n"
     "                  ^"},
    {"caguid=0x1\nSwitch 36 \"S-1\"\n[1] \"H-$(x)\"[1] # \"\" lid 2 4xNDR\n",
     "x:3:20: expected a host's name of letters, digits, '.', '_' and '-', got 'H-$(x)'\n"
     "  [1] \"H-$(x)\"[1] # \"\" lid 2 4xNDR\n"
     "                     ^"},
    {"SwitchName=a Nodes=n1;x,n2\n",
     "x:1:20: expected a host's name of letters, digits, '.', '_' and '-', got 'n1;x'\n"
     "  SwitchName=a Nodes=n1;x,n2\n"
     "                     ^"},
    {"SwitchName=a Nodes=$(reboot)\n",
     "x:1:20: expected a host's name of letters, digits, '.', '_' and '-', got '$(reboot)'\n"
     "  SwitchName=a Nodes=$(reboot)\n"
     "                     ^"},
    {"SwitchName=a Nodes='n1'\n",
     "x:1:20: expected a host's name of letters, digits, '.', '_' and '-', got ''n1''\n"
     "  SwitchName=a Nodes='n1'\n"
     "                     ^"},
    {"blocks: [{switch: a, nodes: [\"n 1\"]}]\n",
     "x:1:30: expected a host's name of letters, digits, '.', '_' and '-', got 'n 1'\n"
     "  blocks: [{switch: a, nodes: [\"n 1\"]}]\n"
     "                               ^"},
    {"blocks: [{switch: a, nodes: [\"n\\n1\"]}]\n",
     "x:1:30: expected a host's name of letters, digits, '.', '_' and '-', got 'n\\n1'\n"
     "  blocks: [{switch: a, nodes: [\"n\\n1\"]}]\n"
     "                               ^"},
    {"SwitchName=a Switches=b\n",
     "x:1:23: unknown switch 'b'; did you mean 'a'? (known: a)\n"
     "  SwitchName=a Switches=b\n"
     "                        ^"},
    {"SwitchName=a Switches=b\nSwitchName=b Switches=a\n",
     "x:2:23: the switch 'a' is below itself: a, b, a\n"
     "  SwitchName=b Switches=a\n"
     "                        ^"},
    {"SwitchName=a Node=n1\n",
     "x:1:14: unknown key 'Node'; did you mean 'Nodes'? (known: Nodes, Switches, LinkSpeed)\n"
     "  SwitchName=a Node=n1\n"
     "               ^"},
    {"SwitchName=a Nodes=n[3-1]\n",
     "x:1:22: expected the smaller number first in the list of names 'n[3-1]'\n"
     "  SwitchName=a Nodes=n[3-1]\n"
     "                       ^"},
    {"SwitchName=a Nodes=n[1-2\n",
     "x:1:25: expected a ']' for each '[' in the list of names 'n[1-2'\n"
     "  SwitchName=a Nodes=n[1-2\n"
     "                          ^"},
    {"SwitchName=a Nodes=n[1-2],n2\n",
     "x:1:20: duplicate 'n2' below 'a'\n"
     "  SwitchName=a Nodes=n[1-2],n2\n"
     "                     ^"},
    {"SwitchName=a Nodes=n[0-999999999]\n",
     "x:1:22: expected at most 65536 names in the list of names 'n[0-999999999]'\n"
     "  SwitchName=a Nodes=n[0-999999999]\n"
     "                       ^"},
    {"SwitchName=a Nodes=n[0-40000,0-40000]\n",
     "x:1:20: expected at most 65536 names in the list of names 'n[0-40000,0-40000]'\n"
     "  SwitchName=a Nodes=n[0-40000,0-40000]\n"
     "                     ^"},
    {"SwitchName=a Nodes=n[0-40000]\nSwitchName=b Nodes=m[0-40000]\n",
     "x:2:20: expected at most 65536 hosts and switches below switches\n"
     "  SwitchName=b Nodes=m[0-40000]\n"
     "                     ^"},
    {"SwitchName=a Switches=n[0-40000]\nSwitchName=b Switches=m[0-40000]\n",
     "x:2:23: expected at most 65536 hosts and switches below switches\n"
     "  SwitchName=b Switches=m[0-40000]\n"
     "                        ^"},
    {"- topology: t\n  tree: {switch: []}\n",
     "x:2:9: expected the key 'switches' here\n"
     "    tree: {switch: []}\n"
     "          ^"},
    {"switches: {a: }\n\nblocks: [{switch: a}]\n",
     "x:3:10: expected a block such as {switch: leaf1, nodes: [\"n[01-16]\"]}\n"
     "  blocks: [{switch: a}]\n"
     "           ^"},
};

std::string read_as_user(const std::string& text) {
  return complaint_of([&] {
    Fabric fabric = parse_fabric({"x", text}, "");
    read_cluster(Value::from_text("x.yaml", fabric_yaml(fabric, {})));
  });
}

TEST(FabricErrors, say_what_was_expected_and_where) {
  for (const auto& [input, complaint] : broken) EXPECT_EQ(read_as_user(input), complaint) << input;
}

// As many as a moment allows; scripts/fuzz does more.
TEST(FabricErrors, damaged_files_give_only_input_errors) {
  std::mt19937 random(20261123);
  for (const char* name : {"topology.conf", "small-tree.yaml", "nvl72.yaml"}) {
    std::ifstream file(std::string("topologies/fabrics/") + name);
    std::ostringstream whole;
    whole << file.rdbuf();
    for (int round = 0; round < 100; ++round) {
      std::string text = whole.str();
      for (int i = 0; i < 3; ++i) text[random() % text.size()] = "[]{}-,:=\n 19a"[random() % 14];
      read_as_user(text);
    }
  }
}

}  // namespace
}  // namespace ringscope
