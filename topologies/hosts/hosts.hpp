// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts shared by the host types.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "topologies/graph/topology.hpp"

namespace ringscope {

// Host types: their interface, and the list of them.

/// NICs by which a new host joins the network.
struct BuiltHost {
  std::vector<Vertex> nics;  ///< at least one
};

using MakeHost = std::function<BuiltHost(Topology&, const std::string& host_name)>;
/// Reads `fields` (its own keys; the caller finishes them) once, and returns the maker of hosts.
using ReadHost = MakeHost(Fields& fields);

/// A host type: hosts/<name>.cpp, its name in hosts.hpp, and its row in host_types().
struct HostType {
  std::string name;
  std::string summary;
  ReadHost* read;
};

std::span<const HostType> host_types();

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

// The hosts of a cluster: all alike, but for those that say how they differ.

class HostMaker {
 public:
  /// Reads `host` and `unlike: [{hosts: [host2], host: {cores: 2}, link: {bandwidth: 1 Gbit/s}}]`
  /// of a cluster: what stands there is laid over what every host and its cable are like.
  HostMaker(Fields& fields, Topology& topology);

  BuiltHost operator()(const std::string& name) const;
  /// Cable from each of the host's NICs, where others of the cluster have `usual`.
  LinkPair cable(const std::string& name, const LinkPair& usual) const;
  /// Sum of all cables of the host, with the latency of one.
  LinkPair cables(const std::string& name, const LinkPair& usual) const;
  /// Throws at `at` where these hosts and switches are more components than a topology has,
  /// before one is made.
  void check_room(const Value& at, std::int64_t hosts, std::int64_t switches) const;
  /// Throws where a host was to differ that the cluster has not.
  void require_all() const;

 private:
  struct Kind {
    MakeHost make;
    int nics = 1;
    std::int64_t components = 0;
    Value resolved;
    Value link;  ///< null: as usual
  };
  static Kind read_kind(const Value& host);
  void read_unlike(Fields& fields, const Value& host);
  const Kind& kind_of(const std::string& name) const;

  Topology* topology_;
  std::vector<Kind> kinds_;  ///< the first one is that of most
  struct Unlike {
    std::size_t kind = 0;
    Value name;  ///< as it stands in the file
  };
  std::map<std::string, Unlike> unlike_;
};

}  // namespace ringscope
