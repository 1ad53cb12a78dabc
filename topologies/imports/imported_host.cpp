// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/imported_host.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "topologies/input/input.hpp"

namespace ringscope {
namespace {

std::optional<Bandwidth> narrower(std::optional<Bandwidth> a, std::optional<Bandwidth> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::string add(std::vector<ImportedHost::Device>& list, std::string_view kind,
                const PciDevice& device) {
  list.push_back({device.label, device.memory});
  return fmt::format("{}{}", kind, list.size() - 1);
}

/// Kind of network of a NIC; "": the name is any driver's, as mlx5_0 is.
std::string_view network_of(std::string_view nic, int compute_capability) {
  if (nic.starts_with("ibp")) return "infiniband";
  if (nic.starts_with("rocep")) return "roce";
  if (nic.starts_with("cxi")) return "slingshot";
  if (!nic.starts_with("rdmap") && !nic.starts_with("efa")) return "";
  return compute_capability >= 100  ? "efa_p6"
         : compute_capability >= 90 ? "efa_p5"
         : compute_capability >= 80 ? "efa_p4d"
                                    : "";
}

void connect(const std::string& parent, const std::string& name, std::optional<Bandwidth> known,
             ImportedHost& machine) {
  constexpr std::size_t most_links = 1024;
  if (machine.links.size() == most_links) throw std::length_error("more than 1024 PCIe links");
  if (!known) {
    machine.unknown.push_back(name);
    known = assumed_pcie_link(machine.compute_capability).value;
  }
  const auto latency = parent.starts_with("numa") ? assumed_root_latency : assumed_switch_latency;
  machine.note("guessed: {} of latency for a PCIe link {}, because no file specifies it: {}",
               to_text(latency.value),
               parent.starts_with("numa") ? "to a domain" : "below a switch", latency.source);
  machine.links.push_back({parent, name, *known, latency.value});
}

void add_nic(ImportedHost& machine) {
  machine.note("guessed: one NIC on numa0, because the file names none, and a network needs one");
  if (machine.gpus.size() > 1)
    machine.note(
        "look at: all {} GPUs share the guessed NIC between hosts; for each real one raise `nics` "
        "and add a line to `links`, from what it hangs off to nic1, nic2",
        machine.gpus.size());
  PciDevice nic;
  nic.kind = PciDevice::Kind::nic;
  nic.label = "guessed";
  hang(nic, "numa0", machine);
}

}  // namespace

extern const char* const cpus_yml;

namespace {

constexpr Bandwidth gigabytes(double per_second) { return {per_second * 1e9}; }

}  // namespace

AssumedCpu assumed_cpu(std::string_view vendor, int family, int model) {
  static const Value cpus = Value::from_text("cpus.yml", cpus_yml);
  const Value* cpu = cpus.find(fmt::format("{} {} {}", vendor, family, model));
  if (cpu == nullptr) cpu = cpus.find("other");
  const auto moved = [&](const char* lanes, int bytes) {
    const auto& numbers = cpu->find(lanes)->items();
    return gigabytes(numbers[0].number(1, 64) * numbers[1].number(1, 64) * bytes);
  };
  return {cpu->find("name")->text(), moved("memory", 8), moved("links", 2),
          cpu->find("source")->text()};
}

Assumed<Bandwidth> assumed_pcie_lane(double transfers_per_second) {
  // x16 of 8 GT/s is 12 GB/s, and every generation doubles the one before.
  return {{transfers_per_second / 8e9 * gigabytes(12.0 / 16).bytes_per_second},
          "NCCL, src/graph/topo.h: PCI_BW is 12 GB/s for 16 lanes of 8 GT/s"};
}

Assumed<Bandwidth> assumed_pcie_link(int compute_capability) {
  if (compute_capability >= 90)
    return {gigabytes(48),
            "NCCL, src/graph/topo.h: PCI_BW, at 32 GT/s, as in the data sheets of H100 and MI300X"};
  if (compute_capability >= 80)
    return {gigabytes(24),
            "NCCL, src/graph/topo.h: PCI_BW, at 16 GT/s, as in the data sheets of A100 and MI250"};
  return {gigabytes(12), "NCCL, src/graph/topo.h: PCI_BW, 16 lanes of 8 GT/s"};
}

Assumed<int> assumed_capability(int nvlinks) {
  constexpr std::string_view source =
      "NVIDIA's data sheets: 6 NVLinks of a V100, 12 of an A100, 18 of an H100";
  // A few may be down.
  if (nvlinks > 12) return {90, source};
  if (nvlinks > 6) return {80, source};
  return {nvlinks == 6 ? 70 : 0, source};
}

Assumed<Bandwidth> assumed_nvlink(int compute_capability) {
  constexpr std::string_view source =
      "NVIDIA's data sheets: an NVLink of a P100 carries 20 GB/s in each direction, of a V100, an "
      "A100 or an H100 25, of a B200 50, of an A40 112.5/8";
  if (compute_capability >= 100) return {gigabytes(50), source};
  if (compute_capability == 86 || compute_capability == 89) return {gigabytes(112.5 / 8), source};
  if (compute_capability >= 70 || compute_capability == 0) return {gigabytes(25), source};
  return {gigabytes(20), source};
}

Assumed<Bandwidth> assumed_xgmi(bool is_mi300x) {
  if (is_mi300x)
    return {gigabytes(64),
            "AMD's data sheet of the MI300X Platform: seven links, 896 GB/s in both directions"};
  return {gigabytes(50),
          "AMD's data sheet of the MI250X: 100 GB/s in both directions; between its two dies there "
          "are four links (CDNA 2 white paper), which the matrix does not tell"};
}

int ImportedHost::gpu_index(const std::string& label) const {
  const auto gpu = std::ranges::find(gpus, label, &Device::label);
  return gpu == gpus.end() ? -1 : static_cast<int>(gpu - gpus.begin());
}

bool leads_anywhere(const PciDevice& device) {
  return device.kind != PciDevice::Kind::bridge ||
         std::ranges::any_of(device.below, leads_anywhere);
}

void hang(const PciDevice& device, const std::string& parent, ImportedHost& machine,
          std::optional<Bandwidth> above) {
  const auto link = narrower(above, device.link);
  if (device.kind == PciDevice::Kind::gpu) {
    connect(parent, add(machine.gpus, "gpu", device), link, machine);
  } else if (device.kind == PciDevice::Kind::nic) {
    const std::string name = add(machine.nics, "nic", device);
    connect(parent, name, link, machine);
    if (!device.port) return;
    machine.links.back().bandwidth = std::min(machine.links.back().bandwidth, *device.port);
    machine.port = std::max(machine.port.value_or(*device.port), *device.port);
  } else if (std::ranges::count_if(device.below, leads_anywhere) == 1) {
    hang(*std::ranges::find_if(device.below, leads_anywhere), parent, machine, link);
  } else if (leads_anywhere(device)) {
    const std::string name = add(machine.switches, "pcie", device);
    connect(parent, name, link, machine);
    for (const PciDevice& below : device.below) hang(below, name, machine);
  }
}

void link_domains(const std::vector<DomainPlace>& places, ImportedHost& machine) {
  constexpr std::size_t most_domains = 64;
  if (places.size() > most_domains) throw std::length_error("more than 64 NUMA domains");
  const auto share = assumed_memory_share;
  std::map<int, int> sockets;  // by package
  for (std::size_t i = 0; i < places.size(); ++i) {
    const AssumedCpu& cpu = places[i].cpu;
    const int next = static_cast<int>(sockets.size());
    Bandwidth& memory = machine.domains[i].memory_bandwidth;
    machine.domains[i].socket = sockets.try_emplace(places[i].package, next).first->second;
    memory = {cpu.memory.bytes_per_second * places[i].share * share.value};
    machine.note(
        "guessed: {} of memory bandwidth in a domain, because no file specifies it: {} of {} "
        "({}; {})",
        to_short_text(memory), share.value, cpu.name, cpu.source, share.source);
  }
  const auto latency = assumed_socket_latency;
  for (std::size_t to = 1; to < places.size(); ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      const bool near = places[from].package == places[to].package;
      const AssumedCpu& cpu = places[to].cpu;
      const Bandwidth inside =
          std::min(machine.domains[from].memory_bandwidth, machine.domains[to].memory_bandwidth);
      const Bandwidth bandwidth = near ? inside : cpu.socket_link;
      machine.links.push_back(
          {fmt::format("numa{}", from), fmt::format("numa{}", to), bandwidth, latency.value});
      machine.note("guessed: {} linked at {} and {}, because no file specifies it: {}; {}",
                   near ? "every two domains of one package are" : "every two domains are",
                   to_short_text(bandwidth), to_text(latency.value),
                   near ? "as fast as the memory of one" : cpu.source, latency.source);
    }
  }
}

void name_network(int compute_capability, ImportedHost& machine) {
  std::map<std::string_view, std::string_view> names;  // by kind
  for (const ImportedHost::Device& nic : machine.nics) {
    const std::string_view label = nic.label, name = label.substr(label.rfind(' ') + 1);
    if (const auto kind = network_of(name, compute_capability); !kind.empty())
      names.emplace(kind, name);
  }
  if (names.size() != 1) return;
  const auto& [kind, name] = *names.begin();
  machine.network = kind;
  machine.note("guessed: the network is {}, because a NIC is called {}: {}", kind, name,
               "rdma-core, kernel-boot/rdma_rename.c; HPE's libfabric for cxi");
}

void complete(ImportedHost& machine) {
  if (machine.nics.empty()) add_nic(machine);
  if (machine.unknown.empty()) return;
  const auto assumed = assumed_pcie_link(machine.compute_capability);
  machine.note("guessed: {} for the PCIe links of {}, because the file names no speed: {}",
               to_text(assumed.value), fmt::join(machine.unknown, ", "), assumed.source);
}

void NvLinks::add(int gpu, int other, Bandwidth bandwidth) {
  Bandwidth& pair = pairs_[std::minmax(gpu, other)];
  pair = std::max(pair, bandwidth);
}

void NvLinks::add_to_switch(int gpu, Bandwidth bandwidth) {
  to_switch_[gpu].bytes_per_second += bandwidth.bytes_per_second;
}

void NvLinks::connect(ImportedHost& machine) const {
  if (empty()) return;
  const auto latency = assumed_nvlink_latency;
  machine.note("guessed: {} from GPU to GPU over NVLink, because no file specifies it: {}",
               to_text(latency.value), latency.source);
  for (const auto& [gpus, bandwidth] : pairs_)
    machine.links.push_back({fmt::format("gpu{}", gpus.first), fmt::format("gpu{}", gpus.second),
                             bandwidth, latency.value});
  if (to_switch_.empty()) return;
  machine.nvswitches.push_back({.label = "all NVSwitches of the machine"});
  machine.note(
      "guessed: all NVSwitches are one that never is a bottleneck itself, because every "
      "GPU is linked to all of them");
  for (const auto& [gpu, bandwidth] : to_switch_)
    machine.links.push_back({fmt::format("gpu{}", gpu), "nvswitch0", bandwidth, latency.value / 2});
}

}  // namespace ringscope
