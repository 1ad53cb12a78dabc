// SPDX-License-Identifier: LGPL-2.1-or-later
// The cores, GPUs, memory and NICs of a host, as ranks take them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "topologies/placement/placement.hpp"
#include "topologies/placement/slots.hpp"

namespace ringscope {

/// The NUMA domain nearest to a GPU, by its index.
int domain_near(const Topology& topology, const Host& host, int gpu);

/// The cores of a host in the order in which ranks take them.
std::vector<Location> cores_in_order(const Topology& topology, int host, MapBy map_by);

/// The GPUs of a host in the order in which ranks take them, each with a core near to it: one of
/// its own, while the domain has as many.
std::vector<Location> gpus_in_order(const Topology& topology, int host_index, MapBy map_by);

using Core = std::tuple<int, int, int>;  ///< host, NUMA domain, core

/// Reads `memory` and `nics` of some ranks.
void read_buffers(Fields& fields, std::span<Location> ranks, const Topology& topology);

/// The same as reports print it: ", memory on numa 1, NIC enp216s0".
std::string buffers_text(const Location& rank, const Topology& topology);

/// Place of each rank in the table that Intel MPI prints with I_MPI_DEBUG=5, in a log: a set of one
/// core binds to it, one of several in a NUMA domain to that, another to the host. Source: Intel
/// MPI Library Developer Reference, "I_MPI_DEBUG".
std::vector<Location> read_pinning(const Value& path, const Topology& topology);

/// Gives the rank a core of its host that is not taken, in its domain where there is one; its own
/// where all are taken.
void avoid(Location& rank, const std::set<Core>& taken, const Topology& topology);

/// Places of other jobs.
struct Taken {
  explicit Taken(std::span<const Location> others);
  bool has(const Location& place) const;

  std::set<Core> cores;
  std::set<std::pair<int, int>> gpus;  ///< host, GPU
};

}  // namespace ringscope
