// From a cluster's YAML to its topology: one network family joining hosts of given types.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "topologies/topology.hpp"

namespace ringscope {

/// Where the network plugs into a host that was added.
struct BuiltHost {
  std::vector<Vertex> nics;  ///< at least one
};

/// A host type: hosts/<name>.cpp, and one line in hosts/hosts.def.
struct HostType {
  std::string name;
  std::string summary;
  /// Reads `fields` (its own keys; the caller finishes them) once, and returns the maker of hosts.
  std::function<BuiltHost(Topology&, const std::string& host_name)> (*read)(Fields& fields);
};

class HostMaker;  // host_maker.hpp

/// A network family: networks/<name>.cpp, and one line in networks/networks.def.
struct NetworkFamily {
  std::string name;
  std::string summary;
  /// Reads its own keys and joins hosts made by `make_host(name)` into `topology`.
  void (*build)(Fields& fields, const HostMaker& make_host, Topology& topology);
};

std::span<const HostType> host_types();
std::span<const NetworkFamily> network_families();

/// A built and checked topology.
struct Cluster {
  std::string name;
  std::string about;  ///< one sentence, from the file
  Topology topology;
  Value resolved;  ///< what it was built from, all defaults filled in
};

/// `value` is the name of a file in topologies/clusters (without .yaml), a path to a file, or the
/// cluster itself as a map. A map may say `base: NAME` and override single values of it.
/// Throws InputError.
Cluster read_cluster(const Value& value);

}  // namespace ringscope
