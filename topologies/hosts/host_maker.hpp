// SPDX-License-Identifier: LGPL-2.1-or-later
// The hosts of a cluster: all alike, but for those that say how they differ.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topologies/hosts/host_type.hpp"

namespace ringscope {

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
