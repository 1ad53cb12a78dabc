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

Fabric read_fabric(const std::string& path, const std::string& as, const FabricLabels& labels) {
  return parse_fabric(source_of(path, most_mebibytes), as, labels);
}

Fabric parse_fabric(const Source& source, const std::string& as, const FabricLabels& labels) {
  const auto shared = std::make_shared<const Source>(source);
  require_utf8(shared);
  const FabricFormat& format = format_of(shared, as, fabric_formats(), "network");
  if (!labels.empty() && format.name != "kubernetes")
    throw InputError({std::make_shared<const Source>(Source{"--label", labels.front()}), 0, 0},
                     "{} has no nodes of Kubernetes", source.name);
  Fabric fabric = format.read(shared, labels);
  if (fabric.hosts.empty()) throw InputError({shared, 0, 0}, "no host is plugged into a switch");
  std::ranges::sort(fabric.hosts, {}, &Fabric::Host::name);
  return fabric;
}

}  // namespace ringscope
