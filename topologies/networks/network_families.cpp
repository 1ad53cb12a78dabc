// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/networks/networks.hpp"

namespace ringscope {

#define NETWORK(name) NetworkFamily describe_##name();
#include "topologies/networks/networks.def"
#undef NETWORK

std::span<const NetworkFamily> network_families() {
  static const NetworkFamily list[] = {
#define NETWORK(name) describe_##name(),
#include "topologies/networks/networks.def"
#undef NETWORK
  };
  return list;
}

}  // namespace ringscope
