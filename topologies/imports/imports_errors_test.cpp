// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every broken description draw an error that names its place, and none a crash?
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "topologies/cluster.hpp"
#include "topologies/imports/imports.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::imports_errors_test {
namespace {

struct BrokenMachine {
  std::string as, input, complaint;
};

const BrokenMachine broken[] = {
    {"", "hello\n",
     "x: no known description of a machine; expected one of: hwloc (hwloc's XML, as lstopo writes "
     "it), nccl (NCCL's topology XML), nvidia_smi (output of `nvidia-smi topo -m`), "
     "rocm_smi (what `rocm-smi --showtopo` prints), amd_smi (output of `amd-smi topology`); of a "
     "network: `ringscope import-fabric`"},
    {"hwlok", "",
     "--format: unknown format 'hwlok'; did you mean 'hwloc'? (known: hwloc, nccl, nvidia_smi, "
     "rocm_smi, amd_smi)"},
    {"hwloc", "<system/>",
     "x:1:2: expected the element <topology>, got <system>\n"
     "  <system/>\n"
     "   ^"},
    {"", "<topology version=\"4.0\">\n</topology>\n",
     "x:1:2: <topology>: expected a version from 1 to 3, got \"4.0\"\n"
     "  <topology version=\"4.0\">\n"
     "   ^"},
    {"", "<topology version=\"2.0\">\n</topology>\n",
     "x:1:2: not a topology that libhwloc can read\n"
     "  <topology version=\"2.0\">\n"
     "   ^"},
    {"", "<system>\n  <cpu>\n</system>\n",
     "x:3:3: not valid XML: Start-end tags mismatch\n"
     "  </system>\n"
     "    ^"},
    {"nccl", "<system/>",
     "x:1:2: <system>: expected a <cpu> in it\n"
     "  <system/>\n"
     "   ^"},
    {"", "<system>\n  <cpu numaid=\"0\"/>\n</system>\n",
     "x:2:4: <cpu>: the attribute 'affinity' is missing\n"
     "    <cpu numaid=\"0\"/>\n"
     "     ^"},
    {"", "<system>\n  <cpu affinity=\"xyz\"/>\n</system>\n",
     "x:2:4: <cpu>: expected a mask such as \"0000ffff,0000ffff\" as 'affinity', got \"xyz\"\n"
     "    <cpu affinity=\"xyz\"/>\n"
     "     ^"},
    {"",
     "<system><cpu affinity=\"f\"><pci busid=\"a\" class=\"0x0302\" link_speed=\"fast\" "
     "link_width=\"16\"/></cpu></system>",
     "x:1:28: <pci>: expected a rate such as \"16 GT/s\" as 'link_speed', got \"fast\"\n"
     "  <system><cpu affinity=\"f\"><pci busid=\"a\" class=\"0x0302\" link_speed=\"fast\" "
     "link_width=\"16\"/></cpu></system>\n"
     "                             ^"},
    {"",
     "<system><cpu affinity=\"f\"><pci busid=\"a\" class=\"0x0302\"/><pci busid=\"a\" "
     "class=\"0x0302\"/></cpu></system>",
     "x:1:59: <pci>: duplicate bus id 'a'\n"
     "  <system><cpu affinity=\"f\"><pci busid=\"a\" class=\"0x0302\"/><pci busid=\"a\" "
     "class=\"0x0302\"/></cpu></system>\n"
     "                                                            ^"},
    {"nvidia_smi", "nothing\n", "x: expected the head of a matrix: GPU0 GPU1 ..."},
    {"", "  GPU0 GPU1 CPU Affinity\nGPU0 X PIX 0-3\n",
     "x:1:3: expected a row for each of 2 columns, got 1\n"
     "    GPU0 GPU1 CPU Affinity\n"
     "    ^"},
    {"", "  GPU0 GPU1 CPU Affinity\nGPU0 X PIY 0-3\nGPU1 PIX X 0-3\n",
     "x:2:8: expected X, PIX, PXB, PHB, NODE, SYS or NV and a number, got \"PIY\"\n"
     "  GPU0 X PIY 0-3\n"
     "         ^"},
    {"", "  GPU0 GPU1 CPU Affinity\nGPU0 X PIX 0-3\nGPU1 SYS X 0-3\n",
     "x:3:1: 'GPU1' and 'GPU0': expected the same relation in both directions\n"
     "  GPU1 SYS X 0-3\n"
     "  ^"},
    {"", "  GPU0 CPU Affinity\nGPU0 X 0-\n",
     "x:2:1: expected a list of CPUs such as \"0-19,40-59\", got \"0-\"\n"
     "  GPU0 X 0-\n"
     "  ^"},
};

TEST(BrokenMachine, says_what_was_expected_and_where) {
  for (const auto& [as, input, complaint] : broken) {
    const auto read = [&as = as, &input = input] { parse_machine({"x", input}, as); };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

TEST(BrokenMachine, xml_that_is_nested_very_deep_is_refused) {
  std::string text = "<system>";
  for (int depth = 0; depth < 100'000; ++depth) text += "<cpu>";
  for (int depth = 0; depth < 100'000; ++depth) text += "</cpu>";
  text += "</system>";
  const std::string complaint = complaint_of([&] { parse_machine({"x", text}, ""); });
  EXPECT_NE(complaint.find("nested deeper than 64 levels"), std::string::npos) << complaint;
}

TEST(BrokenMachine, a_machine_with_too_many_parts_is_refused) {
  std::string text = "<system>";
  for (int cpu = 0; cpu < 65; ++cpu) text += "<cpu affinity=\"f\"/>";
  EXPECT_EQ(complaint_of([&] {
              parse_machine({"x", text + "</system>"}, "");
            }),
            "x: the machine is too large: more than 64 NUMA domains");
  text = "<system><cpu affinity=\"f\">";
  for (int pci = 0; pci < 1025; ++pci) text += "<pci busid=\"n\" class=\"0x0200\"/>";
  EXPECT_EQ(complaint_of([&] {
              parse_machine({"x", text + "</cpu></system>"}, "");
            }),
            "x: the machine is too large: more than 1024 PCIe links");
}

std::string text_of(const std::string& name) {
  std::ifstream file("topologies/machines/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A machine whose cluster can be read, or an InputError: anything else is let through.
void expect_machine_or_error(const std::string& text) {
  try {
    ImportedHost machine = parse_machine({"x", text}, "");
    const std::string yaml = cluster_yaml(machine, "a file", 2, {});
    EXPECT_NO_THROW(read_cluster(Value::from_text("x.yaml", yaml))) << yaml;
  } catch (const InputError& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
  }
}

TEST(BrokenMachine, a_file_that_is_cut_off_anywhere_is_a_machine_or_an_error) {
  constexpr std::size_t cuts = 200;
  for (const char* name : {"nvidiaDGX2.xml", "azure-ndv4.xml", "dgx1-v100.txt", "mi300x.txt"}) {
    const std::string text = text_of(name);
    for (std::size_t cut = 0; cut < cuts; ++cut)
      expect_machine_or_error(text.substr(0, text.size() * cut / cuts));
  }
}

TEST(BrokenMachine, flipped_bits_make_a_machine_or_an_error) {
  std::mt19937 random(1);
  for (const auto& [name, times] : {std::pair("azure-ndv4.xml", 300),
                                    {"dgx-a100.txt", 300},
                                    {"mi300x.txt", 300},
                                    {"virtual.xml", 40}}) {
    const std::string text = text_of(name);
    for (int i = 0; i < times; ++i) {
      std::string flipped = text;
      for (int bits = 0; bits < 3; ++bits)
        flipped[random() % flipped.size()] ^= static_cast<char>(1U << random() % 8);
      expect_machine_or_error(flipped);
    }
  }
}

// libhwloc 2.9 crashes over an object whose gp_index is 0.
TEST(BrokenMachine, hwloc_crash_is_an_error) {
  std::string text = text_of("nvidiaDGX2.xml");
  for (auto at = text.find("gp_index=\""); at != std::string::npos;
       at = text.find("gp_index=\"", at + 1)) {
    const auto begin = text.find('"', at) + 1;
    text.replace(begin, text.find('"', begin) - begin, "0");
  }
  expect_machine_or_error(text);
}

}  // namespace
}  // namespace ringscope::imports_errors_test
