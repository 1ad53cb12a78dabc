// SPDX-License-Identifier: LGPL-2.1-or-later
// Does an imported machine have the parts that its file holds, as fast as the table says?
#include "topologies/imports/imports.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "topologies/cluster.hpp"

namespace ringscope::imports_test {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file("topologies/machines/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

ImportedHost machine_of(const std::string& name) {
  return parse_machine({name, text_of(name)}, "");
}

ImportedHost machine_of_text(const std::string& text) { return parse_machine({"x", text}, ""); }

Cluster cluster_of(ImportedHost machine) {
  return read_cluster(Value::from_text("x.yaml", cluster_yaml(machine, "a file", 2, {})));
}

int count(const std::string& text, std::string_view needle) {
  int found = 0;
  for (auto at = text.find(needle); at != std::string::npos; at = text.find(needle, at + 1))
    ++found;
  return found;
}

/// Counts from the text of the file, without understanding it.
struct Parts {
  int domains = 0, cores = 0, gpus = 0, nics = 0;
  bool operator==(const Parts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Parts& parts) {
  return out << parts.domains << " domains, " << parts.cores << " cores, " << parts.gpus
             << " GPUs, " << parts.nics << " NICs";
}

Parts parts_of(const Host& host, const Topology& topology) {
  Parts parts{static_cast<int>(host.numa_domains.size()), 0, static_cast<int>(host.gpus.size()),
              static_cast<int>(host.nics.size())};
  for (const Vertex domain : host.numa_domains) parts.cores += topology.graph()[domain].cores;
  return parts;
}

void expect_both_hosts(const std::string& name, const Parts& expected) {
  const Cluster cluster = cluster_of(machine_of(name));
  ASSERT_EQ(cluster.topology.hosts().size(), 2U);
  for (const Host& host : cluster.topology.hosts())
    EXPECT_EQ(parts_of(host, cluster.topology), expected) << name;
}

TEST(Import, an_hwloc_file_keeps_its_domains_cores_gpus_and_nics) {
  for (const char* name : {"24em64t-2n6c2t-pci.xml", "32em64t-2n8c2t-pci-normalio.xml",
                           "96em64t-4n4d3ca2co-pci.xml", "nvidiaDGX2.xml", "virtual.xml"}) {
    const std::string text = text_of(name);
    // PCI classes: 0302 is a 3D controller, 0200 Ethernet, 0207 and 0c06 InfiniBand.
    const int nics = count(text, "pci_type=\"0200") + count(text, "pci_type=\"0207") +
                     count(text, "pci_type=\"0c06");
    expect_both_hosts(
        name, {count(text, "<object type=\"NUMANode\""), count(text, "<object type=\"Core\""),
               count(text, "pci_type=\"0302"), std::max(nics, 1)});
  }
}

TEST(Import, an_nccl_file_keeps_its_domains_cores_gpus_and_nics) {
  for (const char* name : {"azure-ndv2.xml", "azure-ndv4.xml"}) {
    const std::string text = text_of(name);
    int cores = 0;
    for (auto at = text.find("affinity=\""); at != std::string::npos;
         at = text.find("affinity=\"", at + 1)) {
      // These masks have no digits but f, of four bits, and 0.
      const auto begin = text.find('"', at) + 1;
      cores += 4 * count(text.substr(begin, text.find('"', begin) - begin), "f");
    }
    expect_both_hosts(name, {count(text, "<cpu "), cores, count(text, "class=\"0x0302"),
                             count(text, "class=\"0x02")});
  }
}

TEST(Import, an_nvidia_smi_matrix_keeps_its_domains_cores_gpus_and_nics) {
  // CPUs "0-19,40-59" and "20-39,60-79": twenty cores with two threads each, on two sockets.
  expect_both_hosts("dgx1-v100.txt", {2, 2 * 20, 8, 4});
  // The GPUs are next to four domains of sixteen cores each.
  expect_both_hosts("dgx-a100.txt", {4, 4 * 16, 8, 8});
}

/// The route inside the first host, in GB/s.
double gigabytes(const Topology& topology, Vertex from, Vertex to) {
  return topology.route(from, to).bandwidth.bytes_per_second / 1e9;
}

TEST(Import, pcie_is_as_fast_as_the_table_says_of_what_the_file_says) {
  const Cluster dgx2 = cluster_of(machine_of("nvidiaDGX2.xml"));
  const Host& host = dgx2.topology.hosts()[0];
  // pci_link_speed="15.753846", to the MB/s.
  const double link = 15.753846 * assumed_pcie_share.value;
  EXPECT_NEAR(gigabytes(dgx2.topology, host.gpus[0], host.numa_domains[0]), link, 1e-3);
  const Cluster ndv4 = cluster_of(machine_of("azure-ndv4.xml"));
  const Host& cloud = ndv4.topology.hosts()[0];
  // link_speed="16 GT/s" link_width="16"
  const double lanes = 16 * assumed_pcie_lane(16e9).value.bytes_per_second / 1e9;
  EXPECT_DOUBLE_EQ(gigabytes(ndv4.topology, cloud.gpus[0], cloud.nics[0]), lanes);
  EXPECT_DOUBLE_EQ(gigabytes(ndv4.topology, cloud.gpus[0], cloud.gpus[1]), lanes);
}

TEST(Import, gpus_that_share_a_guessed_nic_are_told_of) {
  const auto notes_of = [](const std::string& name) {
    ImportedHost machine = machine_of(name);
    return cluster_yaml(machine, name, 2, {});
  };
  EXPECT_NE(notes_of("nvidiaDGX2.xml").find("# look at: all 16 GPUs share the guessed NIC"),
            std::string::npos);
  for (const char* name : {"virtual.xml", "azure-ndv4.xml"})
    EXPECT_EQ(notes_of(name).find("share the guessed NIC"), std::string::npos) << name;
}

TEST(Import, where_a_file_names_no_nvlinks_the_notes_say_how_to_add_them) {
  for (const std::string key : {"nvlink", "nvswitch"}) {
    ImportedHost machine = machine_of("azure-ndv4.xml");
    std::string notes;
    for (const std::string& note : machine.notes) notes += note;
    const auto begin = notes.find(key + ": {");
    ASSERT_NE(begin, std::string::npos) << notes;
    const std::string said = notes.substr(begin, notes.find('}', begin) + 1 - begin);
    const std::string yaml = cluster_yaml(machine, "a file", 2, {});
    const auto linked = [](const std::string& text) {
      const Topology topology = read_cluster(Value::from_text("x.yaml", text)).topology;
      return topology.nvlinked(topology.hosts()[0].gpus[0], topology.hosts()[0].gpus[1]);
    };
    EXPECT_FALSE(linked(yaml));
    EXPECT_TRUE(linked(yaml + "  " + said + "\n")) << said;  // `host` is the last key
  }
}

TEST(Import, nvlinks_are_counted) {
  const Cluster dgx2 = cluster_of(machine_of("nvidiaDGX2.xml"));
  const auto& gpus = dgx2.topology.hosts()[0].gpus;
  // Six links of 25 GB/s from each GPU to the switches.
  const double six = 6 * 25;
  for (std::size_t other = 1; other < gpus.size(); ++other)
    EXPECT_DOUBLE_EQ(gigabytes(dgx2.topology, gpus[0], gpus[other]), six);

  const double one = assumed_nvlink(0).value.bytes_per_second / 1e9;
  const Cluster dgx1 = cluster_of(machine_of("dgx1-v100.txt"));
  const Host& cube = dgx1.topology.hosts()[0];
  EXPECT_DOUBLE_EQ(gigabytes(dgx1.topology, cube.gpus[0], cube.gpus[1]), one);      // NV1
  EXPECT_DOUBLE_EQ(gigabytes(dgx1.topology, cube.gpus[0], cube.gpus[3]), 2 * one);  // NV2
  EXPECT_DOUBLE_EQ(gigabytes(dgx1.topology, cube.gpus[0], cube.gpus[7]),            // SYS
                   assumed_pcie_link().value.bytes_per_second / 1e9);
  const Cluster a100 = cluster_of(machine_of("dgx-a100.txt"));
  const auto& ampere = a100.topology.hosts()[0].gpus;
  EXPECT_DOUBLE_EQ(gigabytes(a100.topology, ampere[0], ampere[7]), 12 * one);  // NV12
}

TEST(Import, generations_follow_from_the_number_of_nvlinks) {
  EXPECT_EQ(assumed_capability(4).value, 0);
  EXPECT_EQ(assumed_capability(6).value, 70);
  EXPECT_EQ(assumed_capability(12).value, 80);
  EXPECT_EQ(assumed_capability(18).value, 90);
  const auto two = [](const std::string& nvlinks) {
    const ImportedHost machine = machine_of_text(
        "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\n"
        "GPU0\t X \t" +
        nvlinks +
        "\tPXB\t0-3\t0\n"
        "GPU1\t" +
        nvlinks +
        "\t X \tPXB\t0-3\t0\n"
        "NIC0\tPXB\tPXB\t X \n");
    for (const ImportedHost::Link& link : machine.links)
      if (link.to == "nic0") return std::pair(machine.compute_capability, link.bandwidth);
    return std::pair(-1, Bandwidth{});
  };
  EXPECT_EQ(two("NV18"), std::pair(90, assumed_pcie_link(90).value));
  EXPECT_EQ(two("NV12"), std::pair(80, assumed_pcie_link(80).value));
  EXPECT_EQ(two("NV6"), std::pair(70, assumed_pcie_link(70).value));
  EXPECT_DOUBLE_EQ(assumed_pcie_link(90).value.bytes_per_second, 4 * 12e9);
}

// As NCCL dumps a topology: the other end of an NVLink by its bus id, and how many there are. PCI
// class 0680 is a bridge that is none of PCI: an NVSwitch.
TEST(Import, nvlinks_of_nccls_xml_are_counted) {
  const auto gpus_with = [](const std::string& first, const std::string& second) {
    const auto gpu = [](const char* bus, const std::string& links) {
      return "<pci busid=\"" + std::string(bus) + "\" class=\"0x030200\" link_speed=\"16 GT/s\" " +
             "link_width=\"16\"><gpu sm=\"80\">" + links + "</gpu></pci>";
    };
    return machine_of_text("<system><cpu affinity=\"ff\">" + gpu("01:00.0", first) +
                           gpu("02:00.0", second) + "</cpu></system>");
  };
  const auto link = [](const char* target, int count, const char* pci_class) {
    return "<nvlink target=\"" + std::string(target) + "\" count=\"" + std::to_string(count) +
           "\" tclass=\"" + pci_class + "\"/>";
  };
  const double one = assumed_nvlink(80).value.bytes_per_second / 1e9;
  const std::string to_switch = link("c4:00.0", 6, "0x068000") + link("c5:00.0", 6, "0x068000");
  const auto rate = [](ImportedHost machine) {
    const Cluster cluster = cluster_of(std::move(machine));
    const Host& host = cluster.topology.hosts()[0];
    return gigabytes(cluster.topology, host.gpus[0], host.gpus[1]);
  };
  EXPECT_DOUBLE_EQ(rate(gpus_with(link("02:00.0", 4, "0x030200"), link("01:00.0", 4, "0x030200"))),
                   4 * one);
  EXPECT_DOUBLE_EQ(rate(gpus_with(to_switch, to_switch)), 12 * one);
  EXPECT_DOUBLE_EQ(rate(gpus_with("", "")),
                   16 * assumed_pcie_lane(16e9).value.bytes_per_second / 1e9);
}

TEST(Import, the_kind_of_network_follows_from_the_names_of_nics) {
  const auto kind = [](const std::string& nic, int sm = 90, const std::string& other = "eth0") {
    const auto pci = [](const std::string& bus, const std::string& inner) {
      return "<pci busid=\"" + bus + "\" class=\"0x02\" link_speed=\"16 GT/s\" " +
             "link_width=\"16\">" + inner + "</pci>";
    };
    ImportedHost machine = machine_of_text(
        "<system><cpu affinity=\"f\">" +
        pci("01:00.0", "<gpu sm=\"" + std::to_string(sm) + "\"/>") +
        pci("02:00.0", "<nic><net name=\"" + nic + "\"/><net name=\"" + other + "\"/></nic>") +
        "</cpu></system>");
    const Cluster cluster = cluster_of(machine);
    EXPECT_EQ(cluster.transport_name, machine.network);
    return machine.network;
  };
  EXPECT_EQ(kind("rdmap16s27", 80), "efa_p4d");
  EXPECT_EQ(kind("rdmap79s0-rdm", 90), "efa_p5");
  EXPECT_EQ(kind("efa_0", 100), "efa_p6");
  EXPECT_EQ(kind("rdmap16s27", 70), "");
  EXPECT_EQ(kind("cxi0"), "slingshot");
  EXPECT_EQ(kind("rocep1s0"), "roce");
  EXPECT_EQ(kind("ibp1s0"), "infiniband");
  EXPECT_EQ(kind("mlx5_0"), "");
  EXPECT_EQ(kind("rocep1s0", 90, "ibp1s1"), "");
  const std::string matrix = "GPU0 NIC0 CPU Affinity\nGPU0 X PIX 0-3\nNIC0 PIX X\nNIC0: cxi0\n";
  EXPECT_EQ(machine_of_text(matrix).network, "slingshot");
}

TEST(Import, pix_shares_a_switch_and_sys_does_not) {
  const ImportedHost machine = machine_of("dgx1-v100.txt");
  const auto parent = [&](const std::string& name) {
    for (const ImportedHost::Link& link : machine.links)
      if (link.to == name) return link.from;
    return std::string();
  };
  EXPECT_EQ(parent("gpu0"), parent("gpu1"));
  EXPECT_EQ(parent("gpu0"), parent("nic0"));
  EXPECT_NE(parent("gpu0"), parent("gpu2"));
  EXPECT_EQ(parent(parent("gpu0")), "numa0");
  EXPECT_EQ(parent(parent("gpu7")), "numa1");
}

TEST(Import, every_guess_is_told_with_its_source) {
  ImportedHost machine = machine_of("nvidiaDGX2.xml");
  const std::string yaml = cluster_yaml(machine, "a file", 2, {});
  for (const std::string& note : machine.notes)
    EXPECT_NE(yaml.find("# " + note), std::string::npos) << note;
  const AssumedCpu cpu = assumed_cpu("GenuineIntel", 6, 85);
  for (const std::string_view source :
       {assumed_pcie_share.source, assumed_nvlink_latency.source, assumed_port.source,
        std::string_view(cpu.source), assumed_memory_share.source})
    EXPECT_NE(yaml.find(source), std::string::npos) << source;
  EXPECT_NE(yaml.find("guessed: one NIC on numa0"), std::string::npos);
}

TEST(Import, a_link_that_is_given_is_not_guessed) {
  ImportedHost machine = machine_of("virtual.xml");
  const std::string yaml = cluster_yaml(machine, "a file", 3, Bandwidth{25e9 / 8});
  EXPECT_EQ(yaml.find("guessed: cables"), std::string::npos);
  const Cluster cluster = read_cluster(Value::from_text("x.yaml", yaml));
  EXPECT_EQ(cluster.topology.hosts().size(), 3U);
  const auto& host = cluster.topology.hosts()[0];
  EXPECT_DOUBLE_EQ(gigabytes(cluster.topology, host.numa_domains[0],
                             cluster.topology.hosts()[1].numa_domains[0]),
                   25.0 / 8);
}

}  // namespace
}  // namespace ringscope::imports_test
