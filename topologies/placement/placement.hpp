// SPDX-License-Identifier: LGPL-2.1-or-later
// Placement: the host, cores, memory, GPU and NICs of each rank.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "topologies/graph/topology.hpp"

namespace ringscope {

/// Binding of a rank: to one core of its own, to all cores of its NUMA domain or host.
enum class Binding { core, numa, host };

/// Place of a rank's buffers, as numactl says it: in the domain of its core, in one domain, or page
/// by page in all domains of the host.
struct MemoryPolicy {
  enum class Kind { local, bind, interleave };
  Kind kind = Kind::local;
  int domain = 0;  ///< of Kind::bind: index into the host's NUMA domains
  bool operator==(const MemoryPolicy&) const = default;
};

/// NICs of its host by which a rank sends: the nearest one, or a share of the data by each, or the
/// one that is named.
enum class NicChoice { nearest, all, named };

/// Location of one rank. With Binding::core two ranks of the same `core` share it.
struct Location {
  int host = 0;
  int numa = 0;  ///< index into the host's NUMA domains
  int core = 0;  ///< index inside the NUMA domain; meaningful for Binding::core
  Binding binding = Binding::core;
  int gpu = -1;  ///< index into the host's GPUs; -1: the rank's buffers lie in host memory
  MemoryPolicy memory{};
  NicChoice nics = NicChoice::nearest;
  int nic = -1;  ///< NicChoice::named: index into the host's NICs
};

/// The NICs by which a message leaves one host and comes to another where a rank names its NIC:
/// that of each end, and of one that names none the NIC of the same index. Empty where neither
/// does.
std::vector<Vertex> named_nics(const Topology& topology, const Location& from, const Location& to);

struct Placement {
  std::string text;  ///< as reports print it: "4-3-1", "4-4 on gpu"
  Table<Location> ranks;

  /// Number of ranks by host, of hosts that have any.
  std::map<int, int> ranks_by_host() const {
    std::map<int, int> counts;
    for (const Location& rank : ranks) ++counts[rank.host];
    return counts;
  }
};

/// Seven forms:
///   "4-3-1"                                  ranks 0-3 on the first host, 4-6 on the second, ...
///                                            "4x64-1": 4 ranks on each of 64 hosts, then 1
///   {hosts: 4-3-1, bind: core|numa|host, map_by: slot|node|numa, on: core|gpu, ...}
///   {hostfile: FILE, ranks: N, map_by: ..., bind: ...}   MPI's: `name slots=4`, comments with #
///   "host0:4,host1:4"                        mpirun's -H: ranks of hosts by their names; in a map
///                                            of `hosts`, too
///   {tf_config: FILE, ...}, or its JSON      TensorFlow's tasks, each with its host
///   {pinning: FILE}                          the ranks of a log of Intel MPI (places.hpp)
///   [{host: 0 or name, numa: 1, core: 2, gpu: 3}, ...]   one entry per rank; bound to the host
///                                            without `numa`, to the NUMA domain without `core`;
///                                            with `gpu` the domain is by default that nearest to
///                                            it
///   [{hosts: 4-4, on: gpu}, {hosts: 0-0-2}]  groups of ranks, one after the other, each of the
///   forms
///                                            above; a group takes cores that those before it left
/// With map_by slot (default) hosts fill one after the other; node: ranks go round the hosts; numa:
/// inside a host, ranks go round its NUMA domains (else they fill one domain after the other).
/// `on: gpu` puts the i-th rank of a host on its GPU i, and on a core of the domain nearest to that
/// GPU. More ranks on a host than cores (GPUs) is an error unless `oversubscribe: true` is set;
/// then they are shared round robin. Every form but the first knows `memory: local | interleave |
/// {bind: N}` and `nics: nearest | all | [N] | NAME`. Paths are relative to the file that names
/// them. Where ranks of other jobs are `taken`, counts and hostfiles take none of these cores and
/// GPUs; a list says itself what is shared.
Placement read_placement(const Value& value, const Topology& topology,
                         std::span<const Location> taken = {});

}  // namespace ringscope
