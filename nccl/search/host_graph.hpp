// SPDX-License-Identifier: LGPL-2.1-or-later
// A host as NCCL's search sees it: the GPUs of one communicator, what lies between them, and the
// ports by which they leave, each line with the rate that NCCL counts for it.
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

enum class Part { gpu, nvswitch, pcie_switch, domain, nic, port };
enum class Wire { nvlink, pcie, sockets, network };

struct Line {
  int from = 0, to = 0;  ///< nodes
  Wire wire = Wire::pcie;
  Rate rate = 0;
  int back = 0;  ///< the line the other way
  bool operator==(const Line&) const = default;
};

/// Lines in order from one node to another, and what they add up to.
struct Way {
  std::vector<int> lines;
  Rate rate = 0;
  Distance distance = Distance::none;
};

using Ways = Table<Table<Way>>;

struct HostGraph {
  int generation = 0;
  Processor processor;
  bool several_hosts = false;
  Table<Part> nodes;
  Table<Line> lines;
  Table<std::vector<int>> leaving;  ///< of each node: its lines, the fastest first
  Table<int> gpus;                  ///< nodes; index: of the GPU among the communicator's
  Table<int> numbers;               ///< of each: the GPU's number in the host
  Table<int> ports;                 ///< nodes; none where there is but one host
  Table<int> nics;                  ///< of each port: its NIC's number in the host
  int nvswitch = -1;                ///< all of them as one node
  bool gpudirect = true;
  Table<std::vector<bool>> peers;  ///< from GPU, to GPU: peer access is granted

  Ways to_gpu, to_port;                   ///< from GPU, to it
  Ways from_port;                         ///< from port, to GPU
  Table<Way> to_nvswitch, from_nvswitch;  ///< of each GPU
  Table<int> own_gpus;                    ///< of each port: gpu_of() it

  /// Equal up to the identity of their hosts.
  bool alike(const HostGraph& other) const;
};

/// The graph of the GPUs with these numbers, ascending, in a host, without its ways. Requires at
/// least one.
HostGraph host_graph(const Topology& topology, int host, const std::vector<int>& gpus,
                     bool several_hosts);

/// Fills in the ways (ways.cpp).
void find_ways(HostGraph& graph);

/// Numbers of those ways with the highest rate, and of these the nearest.
Table<int> nearest(std::span<const Way> ways);

/// The port by which a GPU leaves in a channel, by its own choice.
int port_of(const HostGraph& graph, int gpu, int channel);
/// The GPU that is to use a port first; -1 where none is.
int gpu_of(const HostGraph& graph, int port);

}  // namespace ringscope::nccl
