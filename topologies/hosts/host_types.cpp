// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/hosts/host_type.hpp"

namespace ringscope {

#define HOST(name) HostType describe_##name();
#include "topologies/hosts/hosts.def"
#undef HOST

std::span<const HostType> host_types() {
  static const HostType list[] = {
#define HOST(name) describe_##name(),
#include "topologies/hosts/hosts.def"
#undef HOST
  };
  return list;
}

}  // namespace ringscope
