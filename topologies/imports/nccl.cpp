// SPDX-License-Identifier: LGPL-2.1-or-later
// The topology that NCCL writes (NCCL_TOPO_DUMP_FILE) and reads (NCCL_TOPO_FILE).
//
// <system> holds one <cpu> per NUMA domain; <pci> nests as the bus does and holds <gpu> or <nic>;
// <nvlink> in a <gpu> names the other end by its bus id. Files written by hand leave out the inner
// elements: then the class of the PCI device says what it is.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <set>

#include "topologies/imports/imported_host.hpp"
#include "topologies/imports/imports.hpp"
#include "topologies/imports/xml.hpp"

namespace ringscope {
namespace {

/// The bits of a mask such as "00000000,000fffff".
int bits_of(const Xml& xml, pugi::xml_node cpu) {
  int bits = 0;
  for (const char c : xml.required(cpu, "affinity")) {
    if (c == ',') continue;
    unsigned digit = 0;
    if (std::from_chars(&c, &c + 1, digit, 16).ec != std::errc{})
      xml.fail(cpu,
               "<cpu>: expected a mask such as \"0000ffff,0000ffff\" as 'affinity', got \"{}\"",
               cpu.attribute("affinity").value());
    bits += std::popcount(digit);
  }
  return bits;
}

/// "16 GT/s" or "8.0 GT/s PCIe" and "16": nothing where either is empty or 0.
std::optional<Bandwidth> pcie_link(const Xml& xml, pugi::xml_node pci) {
  const std::string speed = pci.attribute("link_speed").value();
  if (speed.empty() || std::string_view(pci.attribute("link_width").value()).empty()) return {};
  double gigatransfers = 0;
  const auto [end, error] =
      std::from_chars(speed.data(), speed.data() + speed.size(), gigatransfers);
  constexpr double fastest = 1024;
  if (error != std::errc{} || !std::string_view(end).starts_with(" GT/s") ||
      !(gigatransfers > 0 && gigatransfers <= fastest)) {
    if (speed.starts_with("Unknown")) return {};
    xml.fail(pci, "<pci>: expected a rate such as \"16 GT/s\" as 'link_speed', got \"{}\"", speed);
  }
  const int width = xml.integer(pci, "link_width", 0, 255);
  if (width == 0) return {};
  return Bandwidth{assumed_pcie_lane(gigatransfers * 1e9).value.bytes_per_second * width};
}

PciDevice::Kind kind_of(pugi::xml_node pci, std::string_view pci_class) {
  if (pci.child("gpu") || pci_class.starts_with("0x0302") || pci_class.starts_with("0x0300"))
    return PciDevice::Kind::gpu;
  if (pci.child("nic") || pci_class.starts_with("0x02")) return PciDevice::Kind::nic;
  return PciDevice::Kind::bridge;
}

class NcclReader {
 public:
  explicit NcclReader(const std::shared_ptr<const Source>& source) : xml_(source, "system") {}

  ImportedHost read() {
    const pugi::xml_node system = xml_.root();
    for (const pugi::xml_node cpu : system.children("cpu")) {
      add_domain(cpu);
    }
    if (places_.empty()) xml_.fail(system, "<system>: expected a <cpu> in it");
    link_domains(places_, machine_);
    std::size_t domain = 0;
    for (const pugi::xml_node cpu : system.children("cpu")) {
      const std::string parent = fmt::format("numa{}", domain++);
      for (const pugi::xml_node pci : cpu.children("pci")) hang(device(pci), parent, machine_);
      for (const pugi::xml_node nic : cpu.children("nic"))
        hang(card(nic, "a NIC", {}), parent, machine_);
    }
    for (const pugi::xml_node cpu : system.children("cpu")) read_nvlinks(cpu);
    name_network(compute_capability_, machine_);
    note_assumptions();
    nvlinks_.connect(machine_);
    return std::move(machine_);
  }

 private:
  void add_domain(pugi::xml_node cpu) {
    const int bits = bits_of(xml_, cpu);
    if (bits == 0)
      machine_.note("guessed: 1 core in numa{}, because its affinity mask is empty",
                    places_.size());
    machine_.domains.push_back({.cores = std::max(bits, 1), .memory_bandwidth = {}});
    places_.push_back(
        {.package = static_cast<int>(places_.size()),
         .cpu = assumed_cpu(cpu.attribute("vendor").value(), cpu.attribute("familyid").as_int(),
                            cpu.attribute("modelid").as_int())});
  }

  PciDevice device(pugi::xml_node pci) {
    PciDevice found;
    found.label = xml_.required(pci, "busid");
    found.kind = kind_of(pci, pci.attribute("class").value());
    found.link = pcie_link(xml_, pci);
    if (found.kind == PciDevice::Kind::bridge) {
      for (const pugi::xml_node below : pci.children("pci")) found.below.push_back(device(below));
    } else if (found.kind == PciDevice::Kind::nic) {
      return card(pci.child("nic"), found.label, found.link);
    } else if (!gpus_.insert(found.label).second) {
      xml_.fail(pci, "<pci>: duplicate bus id '{}'", found.label);
    }
    return found;
  }

  /// One NIC per port; the ports of a card share its link.
  PciDevice card(pugi::xml_node nic, const std::string& label, std::optional<Bandwidth> link) {
    std::vector<PciDevice> ports;
    for (const pugi::xml_node net : nic.children("net")) {
      PciDevice port = one_nic(fmt::format("{} {}", label, net.attribute("name").value()), link);
      constexpr int fastest = 100'000'000;
      const int megabits = net.attribute("speed") ? xml_.integer(net, "speed", 0, fastest) : 0;
      if (megabits > 0) port.port = Bandwidth{megabits * 1e6 / 8};
      ports.push_back(std::move(port));
    }
    if (ports.empty()) return one_nic(label, link);
    if (ports.size() == 1) return std::move(ports[0]);
    PciDevice shared;
    shared.label = label;
    shared.link = link;
    shared.below = std::move(ports);
    return shared;
  }

  static PciDevice one_nic(const std::string& label, std::optional<Bandwidth> link) {
    PciDevice nic;
    nic.kind = PciDevice::Kind::nic;
    nic.label = label;
    nic.link = link;
    return nic;
  }

  void read_nvlinks(pugi::xml_node node) {
    for (const pugi::xml_node below : node.children("pci")) read_nvlinks(below);
    const pugi::xml_node gpu = node.child("gpu");
    const std::string from = node.attribute("busid").value();
    compute_capability_ = std::max(compute_capability_, gpu.attribute("sm").as_int());
    for (const pugi::xml_node link : gpu.children("nvlink")) {
      const std::string to = xml_.required(link, "target");
      constexpr int most_links = 64;
      const int count = xml_.integer(link, "count", 1, most_links);
      const Bandwidth bandwidth{
          count * assumed_nvlink(gpu.attribute("sm").as_int()).value.bytes_per_second};
      const bool to_switch =
          std::string_view(link.attribute("tclass").value()).starts_with("0x0680");
      const int a = machine_.gpu_index(from), b = machine_.gpu_index(to);
      if (to_switch) {
        nvlinks_.add_to_switch(a, bandwidth);
      } else if (b < 0) {
        machine_.note("omitted: an NVLink from {} to {}, which is no GPU of the file", from, to);
      } else if (a != b) {
        nvlinks_.add(a, b, bandwidth);
      }
    }
  }

  void note_assumptions() {
    machine_.note(
        "guessed: every bit of an affinity mask is a core, because the file does not tell cores "
        "from hardware threads");
    machine_.note("guessed: what a PCIe lane moves, because the file names only its rate: {}",
                  assumed_pcie_lane(8e9).source);
    if (nvlinks_.empty() && machine_.gpus.size() > 1)
      machine_.note(
          "omitted: NVLinks, because the file names none; NCCL gets them from the driver. Its dump "
          "(NCCL_TOPO_DUMP_FILE) and `nvidia-smi topo -m` name them; by hand they belong "
          "under 'host': nvlink: {{pairs: [[0, 1]], bandwidth: 25 GB/s, latency: 500 ns}}, or, for "
          "each GPU to NVSwitches, nvswitch: {{bandwidth: 300 GB/s, latency: 250 ns}}");
    if (!nvlinks_.empty())
      machine_.note(
          "guessed: {} for one NVLink where the file names no compute capability, else by that: {}",
          to_text(assumed_nvlink(0).value), assumed_nvlink(0).source);
  }

  Xml xml_;
  ImportedHost machine_;
  std::vector<DomainPlace> places_;
  std::set<std::string> gpus_;  ///< their bus ids
  NvLinks nvlinks_;
  int compute_capability_ = 0;  ///< of the GPUs; 0: not known
};

}  // namespace

ImportedHost read_nccl(const std::shared_ptr<const Source>& source) {
  return NcclReader(source).read();
}

}  // namespace ringscope
