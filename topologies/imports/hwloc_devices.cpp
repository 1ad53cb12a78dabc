// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/imported_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace ringscope {
namespace {

// Classes and vendors of the PCI ID repository, pci-ids.ucw.cz.
constexpr unsigned display_class = 0x03, network_class = 0x02, display_3d = 0x0302;
constexpr unsigned nvidia = 0x10de;

std::string_view info(hwloc_obj_t object, const char* name) {
  const char* value = hwloc_obj_get_info_by_name(object, name);
  return value ? value : "";
}

template <typename Test>
bool any_os_device(hwloc_obj_t device, Test test) {
  for (hwloc_obj_t child = device->io_first_child; child; child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE && test(child)) return true;
  return false;
}

bool computes(hwloc_obj_t os_device) {
  constexpr std::string_view backends[] = {"CUDA", "NVML", "OpenCL", "RSMI", "LevelZero"};
  return os_device->attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC ||
         std::ranges::count(backends, info(os_device, "Backend")) > 0;
}

bool is_port(hwloc_obj_t os_device) {
  return os_device->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK ||
         os_device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;
}

/// "0000:34:00.0 nvml0"
std::string label_of(hwloc_obj_t device) {
  std::string label;
  const bool bridge = device->type == HWLOC_OBJ_BRIDGE;
  if (device->type == HWLOC_OBJ_PCI_DEVICE ||
      (bridge && device->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI)) {
    const auto& pci = bridge ? device->attr->bridge.upstream.pci : device->attr->pcidev;
    label = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func);
  } else {
    label = device->name ? device->name : "a host bridge";
  }
  for (hwloc_obj_t child = device->io_first_child; child; child = child->next_sibling)
    if (child->type == HWLOC_OBJ_OS_DEVICE && child->name) label += fmt::format(" {}", child->name);
  return label;
}

std::optional<Bandwidth> link_of(float gigabytes_per_second) {
  // Faster than any PCIe: a broken file.
  constexpr float fastest = 1e4F;
  if (!(gigabytes_per_second > 0 && gigabytes_per_second < fastest)) return {};
  // The file has seven digits of it: to the MB/s.
  const double megabytes = static_cast<double>(gigabytes_per_second) * 1e3;
  return Bandwidth{std::round(megabytes * assumed_pcie_share.value) * 1e6};
}

/// The memory in KiB, as the backends report it.
Bytes memory_of(hwloc_obj_t gpu) {
  std::uint64_t kibibytes = 0;
  for (hwloc_obj_t child = gpu->io_first_child; child; child = child->next_sibling)
    for (const char* name :
         {"CUDAGlobalMemorySize", "OpenCLGlobalMemorySize", "RSMIVRAMSize", "LevelZeroHBMSize"})
      kibibytes = std::max<std::uint64_t>(
          kibibytes, std::strtoul(std::string(info(child, name)).c_str(), nullptr, 10));
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  return {std::min(kibibytes, most) * 1024};
}

class Devices {
 public:
  explicit Devices(ImportedHost& machine) : machine_(machine) {}

  PciDevice device(hwloc_obj_t object) {
    PciDevice found;
    found.label = label_of(object);
    if (object->type == HWLOC_OBJ_BRIDGE) {
      if (object->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI)
        found.link = link_of(object->attr->bridge.upstream.pci.linkspeed);
      for (hwloc_obj_t child = object->io_first_child; child; child = child->next_sibling)
        found.below.push_back(device(child));
    } else if (object->type == HWLOC_OBJ_PCI_DEVICE) {
      found.link = link_of(object->attr->pcidev.linkspeed);
      if (is_gpu(object)) {
        found.kind = PciDevice::Kind::gpu;
        found.memory = memory_of(object);
        warn_of_idle(found);
      } else if (object->attr->pcidev.class_id >> 8 == network_class ||
                 any_os_device(object, is_port)) {
        found.kind = PciDevice::Kind::nic;
      }
    } else if (object->type == HWLOC_OBJ_OS_DEVICE && is_port(object)) {
      found.kind = PciDevice::Kind::nic;
    }
    return found;
  }

 private:
  bool is_gpu(hwloc_obj_t object) {
    const auto& pci = object->attr->pcidev;
    if (pci.class_id == display_3d || any_os_device(object, computes)) return true;
    if (pci.class_id >> 8 != display_class) return false;
    if (pci.vendor_id == nvidia) return true;
    machine_.note("omitted: {}, a display adapter that computes nothing according to the file",
                  label_of(object));
    return false;
  }

  void warn_of_idle(const PciDevice& gpu) {
    // 16 lanes of 8 GT/s, less rounding.
    constexpr double usual = 15.7e9;
    if (!gpu.link || gpu.link->bytes_per_second >= usual * assumed_pcie_share.value) return;
    machine_.note(
        "look at: the PCIe link of {} is slow in the file; an idle GPU lowers the rate of its link",
        gpu.label);
  }

  ImportedHost& machine_;
};

bool is_io(hwloc_obj_t object) { return hwloc_obj_type_is_io(object->type) != 0; }

void hang_all_of(hwloc_topology_t topology, hwloc_obj_type_t type, const DomainOf& domain_of,
                 ImportedHost& machine) {
  Devices devices(machine);
  for (hwloc_obj_t at = nullptr; (at = hwloc_get_next_obj_by_type(topology, type, at));) {
    if (!at->parent || is_io(at->parent)) continue;
    PciDevice root = devices.device(at);
    const bool host_bridge =
        type == HWLOC_OBJ_BRIDGE && at->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_HOST;
    // Devices below a host bridge share no link: it is the domain's own.
    std::vector<PciDevice> alone;
    if (!host_bridge) alone.push_back(std::move(root));
    for (const PciDevice& device : host_bridge ? root.below : alone)
      if (leads_anywhere(device)) hang(device, domain_of(at->parent, device.label), machine);
  }
}

/// The matrix that hwloc has from NVML, in MB/s: GPUs and the ports of NVSwitches.
void read_nvlinks(hwloc_topology_t topology, ImportedHost& machine) {
  hwloc_distances_s* matrix = nullptr;
  unsigned count = 1;
  if (hwloc_distances_get_by_name(topology, "NVLinkBandwidth", &count, &matrix, 0) != 0 ||
      count == 0)
    return;
  const auto gpu_of = [&](hwloc_obj_t object) {
    while (object && object->type == HWLOC_OBJ_OS_DEVICE) object = object->parent;
    return object ? machine.gpu_index(label_of(object)) : -1;
  };
  NvLinks links;
  for (unsigned i = 0; i < matrix->nbobjs; ++i) {
    const int gpu = gpu_of(matrix->objs[i]);
    for (unsigned j = 0; gpu >= 0 && j < matrix->nbobjs; ++j) {
      const auto megabytes = static_cast<double>(matrix->values[i * matrix->nbobjs + j]);
      if (i == j || megabytes == 0) continue;
      const Bandwidth bandwidth{megabytes * 1e6};
      const int other = gpu_of(matrix->objs[j]);
      if (other < 0)
        links.add_to_switch(gpu, bandwidth);
      else if (other != gpu)
        links.add(gpu, other, bandwidth);
    }
  }
  hwloc_distances_release(topology, matrix);
  links.connect(machine);
}

}  // namespace

void hang_devices(hwloc_topology_t topology, const DomainOf& domain_of, ImportedHost& machine) {
  for (const auto type : {HWLOC_OBJ_BRIDGE, HWLOC_OBJ_PCI_DEVICE, HWLOC_OBJ_OS_DEVICE})
    hang_all_of(topology, type, domain_of, machine);
  read_nvlinks(topology, machine);
  const auto share = assumed_pcie_share;
  machine.note("guessed: {:.2g} of what a PCIe link signals is payload: {}", share.value,
               share.source);
}

}  // namespace ringscope
