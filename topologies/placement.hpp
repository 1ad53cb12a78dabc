// Which rank runs where.
#pragma once

#include <string>
#include <vector>

#include "topologies/topology.hpp"

namespace ringscope {

/// How a rank is bound: to one core of its own, to all cores of its NUMA domain or host.
enum class Binding { core, numa, host };

/// Where one rank runs. With Binding::core two ranks of the same `core` share it.
struct Location {
  int host = 0;
  int numa = 0;  ///< index into the host's NUMA domains
  int core = 0;  ///< index inside the NUMA domain; meaningful for Binding::core
  Binding binding = Binding::core;
};

struct Placement {
  std::string text;  ///< as reports print it: "4-3-1"
  std::vector<Location> ranks;
};

/// Four forms:
///   "4-3-1"                                  ranks 0-3 on the first host, 4-6 on the second, ...
///                                            "4x64-1": 4 ranks on each of 64 hosts, then 1
///   {hosts: 4-3-1, bind: core|numa|host, map_by: slot|node|numa}
///   {hostfile: FILE, ranks: N, map_by: ..., bind: ...}   MPI's: `name slots=4`, comments with #
///   [{host: 0 or name, numa: 1, core: 2}, ...]           one entry per rank; bound to the host
///                                            without `numa`, to the NUMA domain without `core`
/// With map_by slot (default) hosts fill one after the other; node: ranks go round the hosts; numa:
/// inside a host, ranks go round its NUMA domains (else they fill one domain after the other).
/// More ranks on a host than cores is an error unless `oversubscribe: true` is set; then cores are
/// shared round robin. A hostfile's path is relative to the file that names it.
Placement read_placement(const Value& value, const Topology& topology);

}  // namespace ringscope
