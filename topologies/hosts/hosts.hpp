// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts shared by the host types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "base/view.hpp"
#include "topologies/graph/read_link.hpp"
#include "topologies/hosts/host_type.hpp"

namespace ringscope {

// Types with a page of their own; host_types.cpp has the simple ones, and the list of all.
ReadHost read_pcie_tree, read_custom;

/// Sockets of cores and memory, and the links between them. A socket is one NUMA domain.
struct Sockets {
  int count = 1;
  int cores = 1;                              ///< of each
  Bandwidth memory = Bandwidth::unlimited();  ///< of each
  Bytes capacity{};                           ///< of each one's memory; 0 unknown
  LinkPair link{Bandwidth::unlimited(), Bandwidth::unlimited()};
  std::vector<std::pair<int, int>> linked;  ///< sockets with such a link between them
};

/// `cores`, `memory_bandwidth` and `memory`, each of one NUMA domain.
Sockets read_one_socket(Fields& fields);
/// The same with `sockets` and `socket_link: {bandwidth, latency, both, pairs}`.
Sockets read_sockets(Fields& fields);
/// The NUMA domains of a new host, in the order of their indices.
std::vector<Vertex> add_sockets(const Sockets& sockets, Topology& topology, int host);

/// Attachment of a device: the index of a NUMA domain or of a PCIe switch, and the link to it.
struct Attachment {
  std::string name{};  ///< of a NIC's interface; "": nic0, nic1, ...
  bool to_switch = false;
  int index = 0;
  LinkPair link{Bandwidth::unlimited(), Bandwidth::unlimited()};  ///< forward leaves the device
};

/// `nic: {name: N, domain: D, bandwidth, latency, ...}` or `nics: [...]`; with switches also
/// `switch: S` in the place of `domain`. Without either key: one NIC on domain 0, attached without
/// limit.
std::vector<Attachment> read_nics(Fields& fields, int domains, int switches);
/// Adds the NICs of a host.
std::vector<Vertex> add_nics(const std::vector<Attachment>& nics, Topology& topology, int host,
                             View<const Vertex> domains, View<const Vertex> switches);

/// `all`, or a list of pairs of `count` things called `noun`: [[0, 1], [2, 3]]. Each stands once.
std::vector<std::pair<int, int>> read_pairs(const Value& value, int count, std::string_view noun);

/// Reads a GPU: `memory`, `memory_bandwidth`, `copy_engines`, `copy_bandwidth` and
/// `peer_bandwidth`, none of them required.
void read_gpu(Fields& fields, Component& gpu);

/// Settings common to all GPUs of a host: access granted by the platform, and their own links.
struct GpuRules {
  PeerAccess peer_access = Host{}.peer_access;
  Table<Table<bool>> peer_matrix;
  bool iommu = Host{}.iommu, gpudirect = Host{}.gpudirect, joins_nics = Host{}.joins_nics;
  Seconds staging_latency{};
  struct NvLink {
    int gpu = 0, other = 0;
    Bandwidth bandwidth;
    Seconds latency{};
  };
  std::vector<NvLink> nvlinks;
  struct NvSwitch {
    Bandwidth bandwidth;  ///< of each GPU's link to it
    Seconds latency{};
  };
  std::optional<NvSwitch> nvswitch;
};

/// `peer_access`, `iommu`, `gpudirect`, `joins_nics`, `staging: {latency}`, `nvlink` (a map or a
/// list of maps) and `nvswitch`, none of them required.
GpuRules read_gpu_rules(Fields& fields, int gpus);
/// Makes the rules those of a host that has its GPUs, and adds their links.
void apply(const GpuRules& rules, Topology& topology, int host);

}  // namespace ringscope
