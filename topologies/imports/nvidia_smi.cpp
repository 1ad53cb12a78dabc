// SPDX-License-Identifier: LGPL-2.1-or-later
// The text of `nvidia-smi topo -m`: how every two GPUs and NICs reach each other.
//
// Devices that are PIX to each other share a PCIe switch; those that are PXB share one above it.
// Between GPUs that NVLinks join the matrix hides the PCIe, but the NICs beside them tell it.
#include "topologies/imports/nvidia_smi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/table.hpp"
#include "topologies/imports/imported_host.hpp"
#include "topologies/imports/imports.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

/// "2" before "10".
struct NumberOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

class SmiReader {
 public:
  explicit SmiReader(SmiMatrix matrix) : matrix_(std::move(matrix)) {}

  ImportedHost read() {
    add_domains();
    guess_generation();
    const auto near = groups(Relation::pix), around = groups(Relation::pxb);
    for (std::size_t top = 0; top < around.size(); ++top) {
      if (around[top] != top) continue;
      hang(tree(top, around, near), fmt::format("numa{}", domain_of(top, around)), machine_);
    }
    add_nvlinks();
    name_network(machine_.compute_capability, machine_);
    return std::move(machine_);
  }

 private:
  /// As many as an H100 has; more are the same links, through a switch, to everyone.
  static constexpr int most_links = 18;

  using Groups = std::vector<std::size_t>;  ///< per device, the first device of its group

  std::size_t size() const { return matrix_.devices.size(); }

  /// Two devices are in one group when a chain of relations at most so far joins them.
  Groups groups(Relation farthest) const {
    Groups group = numbers_below<std::size_t>(size());
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (matrix_.cells[i][j].relation > farthest || group[i] == group[j]) continue;
        const auto [keep, drop] = std::minmax({group[i], group[j]});
        std::ranges::replace(group, drop, keep);
      }
    }
    return group;
  }

  PciDevice leaf(std::size_t index) const {
    PciDevice device;
    device.label = matrix_.devices[index].name;
    device.kind = matrix_.devices[index].is_gpu ? PciDevice::Kind::gpu : PciDevice::Kind::nic;
    return device;
  }

  PciDevice tree(std::size_t top, const Groups& around, const Groups& near) const {
    PciDevice outer;
    outer.label = "around " + matrix_.devices[top].name;
    for (std::size_t i = 0; i < size(); ++i) {
      if (around[i] != top || near[i] != i) continue;
      PciDevice inner;
      inner.label = "next to " + matrix_.devices[i].name;
      for (std::size_t j = i; j < size(); ++j)
        if (near[j] == i) inner.below.push_back(leaf(j));
      outer.below.push_back(std::move(inner));
    }
    return outer;
  }

  void add_domains() {
    std::map<std::string, const SmiDevice*, NumberOrder> first;
    for (const SmiDevice& device : matrix_.devices)
      if (device.is_gpu) first.try_emplace(device.domain, &device);
    std::vector<DomainPlace> places;
    for (const auto& [name, device] : first) {
      numbers_[name] = places.size();
      machine_.note("numa{}: the domain of {}{}", places.size(), device->name,
                    name.empty() ? "" : ", NUMA or CPUs " + name);
      machine_.domains.push_back({.cores = cores_of(*device), .memory_bandwidth = {}});
      places.push_back({.package = static_cast<int>(places.size()), .cpu = assumed_cpu("", 0, 0)});
    }
    machine_.note("omitted: NUMA domains without a GPU, because the matrix does not name them");
    link_domains(places, machine_);
  }

  int cores_of(const SmiDevice& device) {
    const CpuList list = read_cpu_list(device.cpus, device.place);
    if (list.count == 0) {
      const auto gpus = std::ranges::count_if(matrix_.devices, [&](const SmiDevice& one) {
        return one.is_gpu && one.domain == device.domain;
      });
      machine_.note(
          "guessed: {} next to {}, one for each GPU there, because no CPU affinity is given",
          plural(gpus, "core"), device.name);
      return static_cast<int>(gpus);
    }
    machine_.note(
        "guessed: CPUs {} are {}", device.cpus,
        list.twins
            ? "cores with two hardware threads each, because they are two ranges of one length"
            : "cores, because nothing indicates hardware threads");
    return list.twins ? list.count / 2 : list.count;
  }

  /// A GPU of the group tells; else the nearest GPU of a NIC does.
  std::size_t domain_of(std::size_t top, const Groups& around) {
    for (std::size_t i = top; i < size(); ++i)
      if (around[i] == top && matrix_.devices[i].is_gpu)
        return numbers_.at(matrix_.devices[i].domain);
    for (std::size_t gpu = 0; gpu < size(); ++gpu)
      if (matrix_.devices[gpu].is_gpu && matrix_.cells[top][gpu].relation <= Relation::node)
        return numbers_.at(matrix_.devices[gpu].domain);
    machine_.note("guessed: {} hangs off numa0, because it is in no GPU's domain",
                  matrix_.devices[top].name);
    return 0;
  }

  /// NVLinks of a device: to all others, and the most to one of them.
  std::pair<int, int> nvlinks_of(std::size_t device) const {
    int all = 0, most = 0;
    for (const SmiCell& cell : matrix_.cells[device]) {
      all += cell.nvlinks;
      most = std::max(most, cell.nvlinks);
    }
    return {all, most};
  }

  /// Generation of the GPUs, and so of their PCIe, by the most NVLinks of one.
  void guess_generation() {
    if (matrix_.is_xgmi) return guess_instinct();
    int nvlinks = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto [all, most] = nvlinks_of(i);
      nvlinks = std::max(nvlinks, all > most_links ? most : all);
    }
    const auto capability = assumed_capability(nvlinks);
    machine_.compute_capability = capability.value;
    if (capability.value == 0) return;
    machine_.note("guessed: GPUs of compute capability {}.{}, because one has {} NVLinks: {}",
                  capability.value / 10, capability.value % 10, nvlinks, capability.source);
  }

  /// Eight GPUs with seven links each are MI300X; all others are taken for the generation before.
  void guess_instinct() {
    bool is_full = size() == 8;
    for (std::size_t i = 0; i < size(); ++i) is_full = is_full && nvlinks_of(i).first == 7;
    machine_.compute_capability = is_full ? 90 : 80;  // NVIDIA's with the same PCIe
    machine_.note("guessed: GPUs like {}, because {} xGMI links to seven others",
                  is_full ? "MI300X" : "MI200",
                  is_full ? "each of the eight has" : "not each of eight has");
  }

  void add_nvlinks() {
    const auto per_link = matrix_.is_xgmi ? assumed_xgmi(machine_.compute_capability >= 90)
                                          : assumed_nvlink(machine_.compute_capability);
    NvLinks links;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto [all, most] = nvlinks_of(i);
      const int gpu = machine_.gpu_index(matrix_.devices[i].name);
      const auto bandwidth = [&](int count) {
        return Bandwidth{count * per_link.value.bytes_per_second};
      };
      const bool is_switched = all > most_links && !matrix_.is_xgmi;
      if (is_switched) links.add_to_switch(gpu, bandwidth(most));
      for (std::size_t j = 0; j < i && !is_switched; ++j)
        if (const int count = matrix_.cells[i][j].nvlinks)
          links.add(gpu, machine_.gpu_index(matrix_.devices[j].name), bandwidth(count));
    }
    if (links.empty()) return;
    machine_.note("guessed: {} for one {}, because the matrix does not tell its generation: {}",
                  to_text(per_link.value), matrix_.is_xgmi ? "xGMI link" : "NVLink",
                  per_link.source);
    links.connect(machine_);
  }

  SmiMatrix matrix_;
  ImportedHost machine_;
  std::map<std::string, std::size_t> numbers_;  ///< of the domains, by name
};

}  // namespace

ImportedHost read_nvidia_smi(const std::shared_ptr<const Source>& source) {
  return machine_of(read_smi_matrix(source));
}

ImportedHost machine_of(SmiMatrix matrix) { return SmiReader(std::move(matrix)).read(); }

}  // namespace ringscope
