// SPDX-License-Identifier: LGPL-2.1-or-later
// The cores, GPUs, memory and NICs of a host, as ranks take them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "topologies/placement/hostfile.hpp"
#include "topologies/placement/placement.hpp"

namespace ringscope {

// Slots: the number of ranks that each host gets, and the host of each rank.

inline constexpr int most_ranks = 1 << 20;

enum class MapBy { slot, node, numa };

/// "4-3-1" or "4x64-1" as slots of the hosts, in the topology's order.
std::vector<HostSlots> read_counts(const Value& value, const Topology& topology);

/// Ranks of each host when `ranks` fill its slots: one host after the other, or one rank each in
/// turn. Ranks beyond the slots go round again.
std::vector<HostSlots> fill(const std::vector<HostSlots>& hosts, int ranks, MapBy map_by);

/// The host of each rank, each host with as many ranks as slots.
std::vector<int> host_of_each_rank(const std::vector<HostSlots>& hosts, MapBy map_by);

/// Number of ranks of each host, by the ranks' hosts: "4-3-1", "1x64" for more than three alike.
std::string counts_text(const std::vector<int>& host_of_rank);

/// Explains the numbers of "16x32" as "16 ranks on each of 32 hosts", and of "4x64-1 on gpu" as "4
/// ranks on each of 64 hosts, then 1 on one"; "" where no number of hosts stands in it.
std::string counts_words(std::string_view counts);

// The cores, GPUs, memory and NICs of a host.

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
