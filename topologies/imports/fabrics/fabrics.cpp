// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/fabrics/fabrics.hpp"

#include <algorithm>

#include "topologies/imports/format_of.hpp"

namespace ringscope {

#define FABRIC(name) FabricFormat describe_##name();
#include "topologies/imports/fabrics/fabrics.def"
#undef FABRIC

namespace {

constexpr std::size_t most_mebibytes = 64;  // 10,000 adapters fill 6 of ibnetdiscover's

}  // namespace

std::span<const FabricFormat> fabric_formats() {
  static const FabricFormat list[] = {
#define FABRIC(name) describe_##name(),
#include "topologies/imports/fabrics/fabrics.def"
#undef FABRIC
  };
  return list;
}

Fabric read_fabric(const std::string& path, const std::string& as) {
  return parse_fabric(source_of(path, most_mebibytes), as);
}

Fabric parse_fabric(const Source& source, const std::string& as) {
  const auto shared = std::make_shared<const Source>(source);
  require_utf8(shared);
  Fabric fabric = format_of(shared, as, fabric_formats(), "network").read(shared);
  if (fabric.hosts.empty()) throw InputError({shared, 0, 0}, "no host is plugged into a switch");
  std::ranges::sort(fabric.hosts, {}, &Fabric::Host::name);
  return fabric;
}

}  // namespace ringscope
