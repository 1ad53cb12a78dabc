// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/fabrics/fabrics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topologies/input/characters.hpp"
#include "topologies/input/read_file.hpp"

namespace ringscope {

#define FABRIC(name) FabricFormat describe_##name();
#include "topologies/imports/fabrics/fabrics.def"
#undef FABRIC

namespace {

constexpr std::size_t most_mebibytes = 64;  // 10,000 adapters fill 6 of ibnetdiscover's

const FabricFormat& format_of(const std::shared_ptr<const Source>& source, const std::string& as) {
  const auto formats = fabric_formats();
  if (!as.empty()) {
    std::vector<std::string> names;
    for (const FabricFormat& format : formats) names.push_back(format.name);
    const Place place{std::make_shared<const Source>(Source{"--as", as}), 0, 0};
    return formats[Value::scalar_at(place, as).one_of("format", names)];
  }
  const auto format = std::ranges::find_if(
      formats, [&](const FabricFormat& one) { return one.recognises(source->text); });
  if (format != formats.end()) return *format;
  std::string known;
  for (const FabricFormat& one : formats)
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", one.name, one.summary);
  throw InputError({source, 0, 0}, "no known description of a network; expected one of: " + known);
}

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
  std::string text = read_file(path, most_mebibytes);
  if (text.empty()) refuse_file(path, "is empty");
  return parse_fabric({path, std::move(text)}, as);
}

Fabric parse_fabric(const Source& source, const std::string& as) {
  const auto shared = std::make_shared<const Source>(source);
  require_utf8(shared);
  Fabric fabric = format_of(shared, as).read(shared);
  if (fabric.hosts.empty()) throw InputError({shared, 0, 0}, "no host is plugged into a switch");
  std::ranges::sort(fabric.hosts, {}, &Fabric::Host::name);
  return fabric;
}

}  // namespace ringscope
