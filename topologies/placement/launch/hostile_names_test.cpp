// SPDX-License-Identifier: LGPL-2.1-or-later
// Names of hosts, nodes and switches, mutated in every form in which they are read: is each
// refused, or does it stay a name in every file of a launcher?
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "topologies/cluster.hpp"
#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/imports/schedulers/node_lists.hpp"
#include "topologies/placement/launch/launch_formats.hpp"

namespace ringscope::hostile_names_test {
namespace {

std::string in_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string with_names(std::string text, const std::string& mark, const std::string& name) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += name.size())
    text.replace(at, mark.size(), name);
  return text;
}

/// Form of a cluster or a network; NAME stands for the name as it is, QUOTED in JSON's quotes.
struct Form {
  bool is_fabric = false;
  std::string text;
};

const Form forms[] = {
    {false,
     "network: star\nhosts: [QUOTED, n2]\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, cores: 2}\n"},
    {false,
     "network: star\nhosts: [NAME, n2]\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, cores: 2}\n"},
    {false,
     "network: fabric\nswitches: [QUOTED, s]\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "hosts: [{name: n1, to: [QUOTED]}, {name: n2, to: [QUOTED]}]\nhost: {type: simple, cores: 2}\n"
     "trunks: [{from: QUOTED, to: s}]\n"},
    {false,
     "network: fabric\nswitches: [s]\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "hosts: [{name: QUOTED, to: [s]}, {name: n2, to: [s]}]\nhost: {type: simple, cores: 2}\n"},
    {true, "SwitchName=s1 Nodes=NAME,n2\nSwitchName=s2 Nodes=n3\nSwitchName=t Switches=s[1-2]\n"},
    {true, "SwitchName=NAME Nodes=n1,n2\nSwitchName=s2 Nodes=n3\n"},
    {true,
     "- topology: t\n  tree:\n    switches:\n      - {switch: s, nodes: QUOTED}\n"
     "      - {switch: u, nodes: n2}\n"},
    {true, "blocks:\n  - {switch: s, nodes: [QUOTED, n2]}\n"},
    {true, "blocks:\n  - {switch: QUOTED, nodes: [n1, n2]}\n"},
    {true,
     "caguid=0x1\nSwitch\t2 \"S-1\"\t\t# \"NAME\" enhanced port 0 lid 1 lmc 0\n"
     "[1]\t\"H-1\"[1](1)\t# \"NAME mlx5_0\" lid 2 4xHDR\n[2]\t\"H-2\"[1](2)\t# \"n2 mlx5_0\" lid 3 "
     "4xHDR\n\nCa\t1 \"H-1\"\t# \"NAME mlx5_0\"\n[1](1)\t\"S-1\"[1]\t# lid 2 lmc 0 \"NAME\" lid 1 "
     "4xHDR\n\nCa\t1 \"H-2\"\t# \"n2 mlx5_0\"\n[1](2)\t\"S-1\"[2]\t# lid 3 lmc 0 \"NAME\" lid 1 "
     "4xHDR\n"},
    {true,
     R"({"items": [{"kind": "Node", "metadata": {"name": QUOTED, "labels":
        {"topology.kubernetes.io/zone": QUOTED, "nvidia.com/gpu.clique": QUOTED}}},
        {"kind": "Node", "metadata": {"name": "n2", "labels":
        {"topology.kubernetes.io/zone": QUOTED}}}, 
        {"kind": "Node", "metadata": {"name": "n3"}}]})"},
    {true,
     "NAME:         CliqueId     : 1\nNAME:         ClusterUUID  : NAME\n"
     "n2:         CliqueId     : 1\nn2:         ClusterUUID  : NAME\n"
     "n3:         CliqueId     : 1\nn3:         ClusterUUID  : N/A\n"},
};

const std::string lists[] = {
    "NODELIST STATE\nNAME idle\nn2 mixed\n",
    "NodeName=NAME State=IDLE\nNodeName=n2 State=IDLE\n",
    "JOBID NODELIST(REASON)\n7 NAME\n",
    R"({"jobs": [{"job_state": "RUNNING", "nodes": QUOTED, "partition": QUOTED, "name": QUOTED}]})",
    R"({"items": [{"kind": "Node", "metadata": {"name": QUOTED}, "spec": {}, "status":
        {"allocatable": {"cpu": "4"}}}]})",
    "NAME slots=1\n",
};

/// Texts that a shell, YAML, Markdown or a launcher would act on.
const std::string hostile[] = {";reboot",
                               "$(reboot)",
                               "`reboot`",
                               "&",
                               "|",
                               "<",
                               ">",
                               "'",
                               "\"",
                               "\\",
                               "\n",
                               "\n- x: y",
                               "\n#SBATCH --uid=0",
                               "\r",
                               "\t",
                               " ",
                               "#",
                               " #",
                               ":",
                               ": ",
                               "*",
                               "?",
                               "~",
                               "!",
                               "%",
                               "@",
                               "=",
                               "{",
                               "}",
                               "[",
                               "]",
                               "[1-3]",
                               ",",
                               "-",
                               "--",
                               ".",
                               "..",
                               "/",
                               "../",
                               "<script>",
                               "](x)",
                               "**",
                               "\x1b[31m",
                               "\x7f",
                               "\xc2\xb5",
                               "\xff",
                               "null",
                               "1e3",
                               "0x10",
                               "yes",
                               "&a",
                               "*a",
                               "!!int",
                               "_"};

/// A name with something in it that a shell, YAML, Markdown or a launcher would act on.
std::string mutated(std::mt19937& random) {
  static const std::string names[] = {"n1", "gpu-7", "rack-2.node_07", "ip-10-0-0-1.ec2.internal"};
  std::string name = names[random() % std::size(names)];
  for (int i = static_cast<int>(random() % 3); i >= 0; --i)
    name.insert(random() % (name.size() + 1), hostile[random() % std::size(hostile)]);
  return name;
}

std::string filled(const std::string& form, const std::string& name) {
  return with_names(with_names(form, "QUOTED", in_json(name)), "NAME", name);
}

Topology topology_of(const Form& form, const std::string& name) {
  std::string text = filled(form.text, name);
  if (form.is_fabric) {
    Fabric fabric = parse_fabric({"test", text}, "");
    text = fabric_yaml(fabric, {.origin = name});
  }
  return read_cluster(Value::from_text("test", text)).topology;
}

/// The nodes that a file of Kubernetes' or the map of ranks names, in its order.
std::vector<std::string> nodes_in(const Value& value) {
  std::vector<std::string> nodes;
  if (value.kind() == Value::Kind::list) {
    for (const Value& item : value.items())
      for (std::string& node : nodes_in(item)) nodes.push_back(std::move(node));
  } else if (value.kind() == Value::Kind::map) {
    for (const auto& [key, place, item] : value.entries()) {
      const bool names = key == "kubernetes.io/hostname" || key == "host";
      if (names) nodes.push_back(item.text());
      if (key == "values") nodes.push_back(item.items().front().text());
      if (!names)
        for (std::string& node : nodes_in(item)) nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

/// Checks that all files are those of harmless names, with the names of this topology in their
/// place.
void check_files(const Topology& topology) {
  static const std::regex plain(
      "[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?([.][A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*");
  Topology harmless = topology;
  std::vector<std::string> names;
  std::string rows;
  for (std::size_t i = 0; i < topology.hosts().size(); ++i) {
    names.push_back(topology.hosts()[i].name);
    harmless.host(static_cast<int>(i)).name = fmt::format("Host{}Q", i);
    EXPECT_TRUE(std::regex_match(names.back(), plain)) << names.back();
    rows += fmt::format("{}{{host: {}}}", i == 0 ? "" : ", ", i);
  }
  const Placement placement = read_placement(Value::from_text("test", "[" + rows + "]"), topology);
  for (const LaunchFormat& format : launch_formats()) {
    const std::string text = format.text({placement, topology, "tp-dp"}).value();
    std::string expected = format.text({placement, harmless, "tp-dp"}).value();
    for (std::size_t i = 0; i < names.size(); ++i)
      expected = with_names(expected, fmt::format("Host{}Q", i), names[i]);
    EXPECT_EQ(text, expected) << format.name;
    for (const std::string_view yaml : {"volcano", "jobset", "kueue", "rank-map"}) {
      if (format.name != yaml) continue;
      EXPECT_EQ(nodes_in(Value::from_text("file", text)), names) << yaml << '\n' << text;
    }
  }
}

TEST(HostileNames, are_refused_or_stay_names_in_files_of_launchers) {
  std::mt19937 random(35);
  int refused = 0, written = 0;
  for (const Form& form : forms) {
    EXPECT_NO_THROW(check_files(topology_of(form, "n7"))) << form.text;
    for (int i = 0; i < 150; ++i) {
      const std::string name = mutated(random);
      try {
        check_files(topology_of(form, name));
        ++written;
      } catch (const InputError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(written, 100);
}

TEST(HostileNames, in_lists_of_schedulers_name_a_host_or_are_refused) {
  std::mt19937 random(36);
  const Topology topology = topology_of(forms[0], "n1");
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("ringscope_names_{}", getpid());
  const auto slots = [&](const std::string& text) {
    std::ofstream(path) << text;
    return read_free_slots(Value::from_text("test", path.string()), topology);
  };
  for (const std::string& list : lists) {
    EXPECT_FALSE(slots(filled(list, "n1")).empty()) << list;
    for (int i = 0; i < 150; ++i) {
      try {
        for (const FreeSlots& free : slots(filled(list, mutated(random)))) EXPECT_LT(free.host, 2);
      } catch (const InputError&) {
        continue;
      }
    }
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ringscope::hostile_names_test
