// SPDX-License-Identifier: LGPL-2.1-or-later
// A host as NCCL's search sees it: the GPUs of one communicator, what lies between them, and the
// ports by which they leave, each link with the rate that NCCL counts for it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "nccl/search/rates.hpp"

namespace ringscope::nccl {

/// Distance of two parts of a host, the nearest first.
enum class Distance {
  same,
  nvlink,
  nvlink_relay,  ///< over the NVLinks of a third GPU
  one_switch,
  switches,
  gpu_relay,  ///< to a port, by NVLink to the GPU that is near it
  root,       ///< through one socket's processor
  sockets,
  none,
};

/// As NCCL's own files abbreviate it: "NVL", "PXB".
std::string_view name_of(Distance distance);

enum class NodeKind { gpu, nvswitch, pcie_switch, domain, nic, port };
enum class LinkType { nvlink, pcie, sockets, network };

struct GraphLink {
  int from = 0, to = 0;  ///< nodes
  LinkType type = LinkType::pcie;
  Rate rate = 0;
  int back = 0;  ///< the link back
  bool operator==(const GraphLink&) const = default;
};

/// Links in order from one node to another, and what they add up to.
struct LinkPath {
  std::vector<int> links;
  Rate rate = 0;
  Distance distance = Distance::none;
};

using LinkPaths = Table<Table<LinkPath>>;

struct HostGraph {
  int generation = 0;
  Processor processor;
  bool several_hosts = false;
  Table<NodeKind> nodes;
  Table<GraphLink> links;
  Table<std::vector<int>> leaving;  ///< of each node: its links, the fastest first
  Table<int> gpus;                  ///< nodes; index: of the GPU among the communicator's
  Table<int> numbers;               ///< of each: the GPU's number in the host
  Table<int> ports;                 ///< nodes; none where there is but one host
  Table<int> nics;                  ///< of each port: its NIC's number in the host, or the first's
  int nvswitch = -1;                ///< all of them as one node
  bool gpudirect = true;
  Table<Table<bool>> peers;  ///< from GPU, to GPU: peer access is granted

  LinkPaths to_gpu, to_port;                   ///< from GPU, to it
  LinkPaths from_port;                         ///< from port, to GPU
  Table<LinkPath> to_nvswitch, from_nvswitch;  ///< of each GPU
  Table<int> own_gpus;                         ///< of each port: gpu_of() it

  /// Equal up to the identity of their hosts.
  bool alike(const HostGraph& other) const;
};

/// Numbers of the host's NICs that a port has: one each, or those that are joined. Source:
/// github.com/aws/aws-ofi-nccl, src/nccl_ofi_topo.cpp, create_groups_from_info_list: the NICs on
/// one PCIe switch, or socket, are as many groups as that has GPUs, the first ones larger; without
/// a GPU each is alone.
Table<std::vector<int>> joined_nics(const Topology& topology, const Host& host);

/// The graph of the GPUs with these numbers, ascending, in a host, without its paths. Requires at
/// least one.
HostGraph host_graph(const Topology& topology, int host, const std::vector<int>& gpus,
                     bool several_hosts);

/// Fills in the paths (paths.cpp).
void find_paths(HostGraph& graph);

/// Numbers of those paths with the highest rate, and of these the nearest.
Table<int> nearest(std::span<const LinkPath> paths);

/// The port by which a GPU leaves in a channel, by its own choice.
int port_of(const HostGraph& graph, int gpu, int channel);
/// The GPU that is to use a port first; -1 where none is.
int gpu_of(const HostGraph& graph, int port);

// Rates that a search has left on each link of a host.

class LinkRates {
 public:
  explicit LinkRates(const HostGraph& graph);

  /// Takes the rate off every link of a path from a node; nothing where one of them lacks it.
  /// Source of what is added: NCCL 2.31, src/graph/search.cc. An Intel processor cuts what passes
  /// between the PCIe slots of a socket into packets so short that it takes a fifth more of them;
  /// before the A100, data that a GPU reads takes an eighth of the link back.
  bool take(const LinkPath& path, int start, Rate rate);
  void give_back(const LinkPath& path, int start, Rate rate);

 private:
  bool move(const LinkPath& path, std::size_t links, int start, Rate rate);

  const HostGraph& graph_;
  Table<Rate> left_;
};

}  // namespace ringscope::nccl
